-- Client applications have no access: the role payments_client has no policy, so it finds no row.
alter table authorizations enable row level security;
alter table webhook_events enable row level security;
alter table kysely_migration enable row level security;
alter table kysely_migration_lock enable row level security;
