-- Row-level security, in addition to the conditions of the queries. Statements for a client application run in the role
-- <service>_client with platter.application set (packages/kit/src/postgres/tenant-scope.ts). They find only rows of that
-- application, however a query is written, and none if it is not set. The owner of the tables is exempt, so the service's own work
-- costs no more than before.
alter table applications enable row level security;
alter table access_keys enable row level security;
alter table users enable row level security;
alter table user_applications enable row level security;
alter table cards enable row level security;
alter table addresses enable row level security;
alter table idempotency_keys enable row level security;
alter table kysely_migration enable row level security;
alter table kysely_migration_lock enable row level security;

create policy of_application on user_applications for select
  using (application_id = (select current_setting('platter.application', true)));
create policy of_application on access_keys for select
  using (application_id = (select current_setting('platter.application', true)));

-- A policy that reads a table is subject to that table's policies. A user registers and signs in with an e-mail address that may
-- belong to any user, so this role inserts no users.
create policy of_application on users for select
  using (exists (select from user_applications where user_api_key = users.api_key));
create policy change_of_application on users for update
  using (exists (select from user_applications where user_api_key = users.api_key));

-- A removed row has no user and is empty. The application that removes it must see the new row, otherwise PostgreSQL rejects the
-- update.
create policy of_application on cards for select using (user_api_key is null
  or exists (select from user_applications where user_api_key = cards.user_api_key));
create policy add_to_application on cards for insert
  with check (exists (select from user_applications where user_api_key = cards.user_api_key));
create policy change_of_application on cards for update
  using (exists (select from user_applications where user_api_key = cards.user_api_key))
  with check (user_api_key is null
    or exists (select from user_applications where user_api_key = cards.user_api_key));

create policy of_application on addresses for select using (user_api_key is null
  or exists (select from user_applications where user_api_key = addresses.user_api_key));
create policy add_to_application on addresses for insert
  with check (exists (select from user_applications where user_api_key = addresses.user_api_key));
create policy change_of_application on addresses for update
  using (exists (select from user_applications where user_api_key = addresses.user_api_key))
  with check (user_api_key is null
    or exists (select from user_applications where user_api_key = addresses.user_api_key));

-- access_key_id is the first key of a chain, which is never deleted.
create policy of_application on idempotency_keys
  using (exists (select from access_keys where id = access_key_id));
