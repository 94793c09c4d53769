-- Row-level security, in addition to the conditions of the queries. Statements for a client application run in the role
-- <service>_client with platter.application set (packages/kit/src/postgres/tenant-scope.ts). They find only rows of that
-- application, however a query is written, none if it is not set, and write nothing. The owner of the tables is exempt, so
-- accepting orders and saving sagas cost no more than before.
alter table orders enable row level security;
alter table order_statuses enable row level security;
alter table sagas enable row level security;
alter table deliveries enable row level security;
alter table idempotency_keys enable row level security;
alter table restaurant_links enable row level security;
alter table simulated_orders enable row level security;
alter table dead_letters enable row level security;
alter table kysely_migration enable row level security;
alter table kysely_migration_lock enable row level security;

-- platter.user: a user that belongs to the application according to accounts (src/reading/visibility.ts).
create policy of_application on orders for select using (
  application_id = (select current_setting('platter.application', true))
  or recipient_api_key = (select current_setting('platter.user', true)));

-- A policy that reads a table is subject to that table's policies.
create policy of_application on order_statuses for select
  using (exists (select from orders where api_key = order_api_key));
create policy of_application on idempotency_keys for select
  using (exists (select from orders where api_key = order_api_key));
