-- Money is in integer cents of the restaurant's currency, distances in miles, shares in parts per million.

create table restaurants (
  api_key text primary key,
  name text not null,
  logo_url text not null,
  url text not null,
  street_address text not null,
  city text not null,
  state text not null,
  zip text not null,
  latitude double precision not null,
  longitude double precision not null,
  phone text not null,
  food_types text[] not null,
  delivery_min integer not null,
  delivery_price integer not null,
  -- From this subtotal up delivery is free; null: never.
  min_free_delivery bigint,
  tax_rate_ppm integer not null,
  accepts_cash boolean not null,
  accepts_card boolean not null,
  offers_pickup boolean not null,
  offers_delivery boolean not null,
  is_test boolean not null,
  min_wait_minutes integer not null,
  max_wait_minutes integer not null,
  hours jsonb not null,
  time_zone text not null,
  -- Raised by everything that a menu shows. It begins at the time of the change in milliseconds, so that no
  -- version ever comes again, not even after a restore or a reset: the menus in Redis are named by it.
  menu_version bigint not null default 0,
  -- Name and food types, and the names of the items, folded as domain/search.ts says.
  search_text text not null,
  menu_text text not null default ''
);

create index restaurants_by_place on restaurants (latitude, longitude);

create table delivery_zones (
  api_key text primary key,
  restaurant_api_key text not null references restaurants on delete cascade,
  -- The first zone that holds an address is the one that counts.
  position integer not null,
  description text,
  -- Exactly one of zips, polygon and max_radius_miles; a hole is cut out of any of them.
  zips text[],
  polygon jsonb,
  hole jsonb,
  max_radius_miles double precision,
  delivery_min integer not null,
  delivery_price integer not null,
  -- Longitude and latitude within which polygon or radius lie; null for a list of ZIP codes.
  bounds box
);

create unique index delivery_zones_of_restaurant on delivery_zones (restaurant_api_key, position);
create index delivery_zones_by_bounds on delivery_zones using gist (bounds);
create index delivery_zones_by_zip on delivery_zones using gin (zips);

create table menu_categories (
  api_key text primary key,
  restaurant_api_key text not null references restaurants on delete cascade,
  position integer not null,
  name text not null,
  description text
);

create unique index menu_categories_of_restaurant on menu_categories (restaurant_api_key, position);

create table menu_items (
  api_key text primary key,
  restaurant_api_key text not null references restaurants on delete cascade,
  category_api_key text not null references menu_categories on delete cascade,
  position integer not null,
  name text not null,
  description text,
  base_price integer not null,
  available boolean not null,
  -- CustomizationGroup[] of domain/menu.ts, its prices in cents.
  customization_groups jsonb not null
);

create unique index menu_items_of_category on menu_items (category_api_key, position);
create index menu_items_of_restaurant on menu_items (restaurant_api_key);
