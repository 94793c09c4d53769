-- Nothing here is for client applications: the role payments_client, which has no policy, finds no row.
alter table authorizations enable row level security;
alter table webhook_events enable row level security;
alter table kysely_migration enable row level security;
alter table kysely_migration_lock enable row level security;
