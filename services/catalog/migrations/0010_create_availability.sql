-- Orders are refused until then, whatever the hours say.
alter table restaurants add column paused_until timestamptz;

-- What a restaurant itself says of its items and choices. It goes before the menu's own records, and lies beside
-- them so that a new menu leaves it as it is. A choice is named by its key alone: in every item that has it.
create table availability (
  restaurant_api_key text not null references restaurants on delete cascade,
  kind text not null check (kind in ('item', 'choice')),
  api_key text not null,
  available boolean not null,
  -- Null: until the restaurant says otherwise. Once it has come the row is as good as gone, and soon is.
  until timestamptz check (until is null or not available),
  primary key (restaurant_api_key, kind, api_key)
);
create index availability_until on availability (until) where until is not null;
