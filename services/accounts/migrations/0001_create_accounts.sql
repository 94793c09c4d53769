-- Client applications, the access keys of applications, restaurants and operators, and users. Of a card, only the processor's
-- token, the brand, the last four digits and the expiry are stored; no column contains a card number or cvv in any form.

create table applications (
  id text primary key,
  name text not null,
  created_at timestamptz not null default now()
);

create table access_keys (
  id text primary key,
  -- SHA-256 (hex). The key itself is shown once and not stored.
  hash text not null unique,
  -- The part of the key that may be shown; null for a key that was configured as a hash (OPERATOR_KEY_HASH).
  prefix text,
  kind text not null check (kind in ('application', 'restaurant', 'operator')),
  application_id text references applications,
  -- Catalog owns the restaurants, so there is no foreign key.
  restaurant_api_key text,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  revoked_at timestamptz,
  expires_at timestamptz,
  check ((kind = 'application') = (application_id is not null)),
  check ((kind = 'restaurant') = (restaurant_api_key is not null))
);

create table users (
  api_key text primary key,
  email text not null,
  -- An e-mail address belongs to one user, in any case of its letters. Collation "C": independent of the server's locale.
  email_key text not null unique generated always as (lower(email collate "C")) stored,
  -- PHC string, see src/password.ts.
  password_hash text not null,
  first_name text not null,
  last_name text not null,
  phone text not null,
  created_at timestamptz not null default now()
);

-- The applications through which the user registered or signed in (docs/interface.md, "Access to users and orders").
create table user_applications (
  user_api_key text not null references users,
  application_id text not null references applications,
  primary key (user_api_key, application_id)
);

create table cards (
  api_key text primary key,
  user_api_key text not null references users,
  token text not null,
  brand text not null,
  last_four text not null,
  cardholder_name text not null,
  cardholder_street_address text not null,
  cardholder_zip text not null,
  -- Two digits each.
  expiration_month text not null,
  expiration_year text not null,
  nickname text,
  created_at timestamptz not null default now()
);
create index cards_of_user on cards (user_api_key, created_at, api_key);

create table addresses (
  api_key text primary key,
  user_api_key text not null references users,
  street_address text not null,
  apt_number text,
  city text not null,
  state text not null,
  zip text not null,
  -- Both or neither; null until an order to this address was located on the map.
  latitude double precision,
  longitude double precision,
  created_at timestamptz not null default now()
);
create index addresses_of_user on addresses (user_api_key, created_at, api_key);
