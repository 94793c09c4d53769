-- The simulated restaurants are a process of their own, reached by a webhook. A link of the kind `simulator` cannot be followed
-- any more: its restaurant has the default link until somebody puts another one (the development seed does at its next start).
-- The table simulated_orders stays while replicas of the version before may write it; a later migration drops it.
delete from restaurant_links where link->>'kind' = 'simulator';
