-- The second net: what is asked on behalf of a client application is asked in the role <service>_client, with
-- platter.application set (packages/kit/src/as-application.ts). It finds rows of that application only, however the
-- query is written, nothing where it is not set, and writes nothing. The owner of the tables, which accepts orders and
-- moves their sagas, is held by none of this: that costs no more than before.
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

-- platter.user: a user of whom accounts have said that it is one of the application's (src/visibility.ts).
create policy of_application on orders for select using (
  application_id = (select current_setting('platter.application', true))
  or recipient_api_key = (select current_setting('platter.user', true)));

-- A policy that reads a table reads it through that table's own.
create policy of_application on order_statuses for select
  using (exists (select from orders where api_key = order_api_key));
create policy of_application on idempotency_keys for select
  using (exists (select from orders where api_key = order_api_key));
