-- Restaurants and menus are public, and only the service reads these tables. The role catalog_client has no policy, so it finds no
-- row.
alter table restaurants enable row level security;
alter table delivery_zones enable row level security;
alter table menu_categories enable row level security;
alter table menu_items enable row level security;
alter table availability enable row level security;
alter table kysely_migration enable row level security;
alter table kysely_migration_lock enable row level security;
