-- Orders from before the column have the reports of their restaurant's current link. The statuses of closed orders are final, so
-- their rows are not rewritten.
update orders set reports = coalesce(
  (select link ->> 'reports' from restaurant_links l where l.restaurant_api_key = orders.restaurant_api_key), 'detailed')
where is_open and reports is null;
