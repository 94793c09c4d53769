-- Orders are refused until this time, even during the opening hours.
alter table restaurants add column paused_until timestamptz;

-- A restaurant's availability overrides for its items and choices. They take precedence over the menu's records, and a separate
-- table keeps them when the menu is replaced. An override of a choice applies to every item that has the choice.
create table availability (
  restaurant_api_key text not null references restaurants on delete cascade,
  kind text not null check (kind in ('item', 'choice')),
  api_key text not null,
  available boolean not null,
  -- Null: until the restaurant changes it. After this time the override has no effect, and the row is deleted soon.
  until timestamptz check (until is null or not available),
  primary key (restaurant_api_key, kind, api_key)
);
create index availability_until on availability (until) where until is not null;
