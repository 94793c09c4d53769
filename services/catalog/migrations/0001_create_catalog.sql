-- Money is stored in integer cents of the restaurant's currency, distances in miles, rates in parts per million.

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
  -- Delivery is free from this subtotal; null: never.
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
  -- Increases with every change that a menu shows. The first value is the time in milliseconds, so no version repeats after a
  -- restore or a reset: the keys of menus in Redis contain it.
  menu_version bigint not null default 0,
  -- Name, food types and item names, normalized by domain/search.ts.
  search_text text not null,
  menu_text text not null default ''
);

create index restaurants_by_place on restaurants (latitude, longitude);

create table delivery_zones (
  api_key text primary key,
  restaurant_api_key text not null references restaurants on delete cascade,
  -- The first zone that contains an address applies.
  position integer not null,
  description text,
  -- Exactly one of zips, polygon and max_radius_miles is set; the hole is excluded from any of them.
  zips text[],
  polygon jsonb,
  hole jsonb,
  max_radius_miles double precision,
  delivery_min integer not null,
  delivery_price integer not null,
  -- The bounding box of polygon or radius (longitude, latitude); null for a list of ZIP codes.
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
  -- CustomizationGroup[] of domain/menu.ts, with prices in cents.
  customization_groups jsonb not null
);

create unique index menu_items_of_category on menu_items (category_api_key, position);
create index menu_items_of_restaurant on menu_items (restaurant_api_key);
