-- Restaurants and menus are for everybody, and are read by the service itself: the role catalog_client, which has no
-- policy, finds no row.
alter table restaurants enable row level security;
alter table delivery_zones enable row level security;
alter table menu_categories enable row level security;
alter table menu_items enable row level security;
alter table availability enable row level security;
alter table kysely_migration enable row level security;
alter table kysely_migration_lock enable row level security;
