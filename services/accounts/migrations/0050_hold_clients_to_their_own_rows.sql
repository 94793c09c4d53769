-- The second net: what is asked on behalf of a client application is asked in the role <service>_client, with
-- platter.application set (packages/kit/src/as-application.ts). It finds rows of that application only, however the
-- query is written, and nothing where it is not set. The owner of the tables is held by none of this: what the
-- service does on its own account costs no more than before.
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

-- A policy that reads a table reads it through that table's own. A user is registered and signs in by an e-mail that
-- may be anybody's, so nobody is inserted here.
create policy of_application on users for select
  using (exists (select from user_applications where user_api_key = users.api_key));
create policy change_of_application on users for update
  using (exists (select from user_applications where user_api_key = users.api_key));

-- What was removed is nobody's, and empty: whoever removes it has to be able to see it, or could not.
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

-- access_key_id is the first key of a line, which is never deleted.
create policy of_application on idempotency_keys
  using (exists (select from access_keys where id = access_key_id));
