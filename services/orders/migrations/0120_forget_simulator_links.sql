-- The simulated restaurants are a separate process with webhooks. A link of the kind `simulator` is no longer supported: its
-- restaurant has the default link until another link is set (the development seed sets one at its next start). The table
-- simulated_orders stays while replicas of the previous version may write to it; a later migration drops it.
delete from restaurant_links where link->>'kind' = 'simulator';
