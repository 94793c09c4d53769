-- One row per order. It is written before the first call to the processor ("sent") and never deleted, so a repeated command is
-- harmless.
create table authorizations (
  order_api_key text primary key,
  state text not null check (
    state in ('sent', 'authorized', 'captured', 'declined', 'voided', 'refunded', 'released')
  ),
  -- Cents.
  amount integer check (amount >= 0),
  -- The processor's token of the card; never a card number.
  token text,
  -- The processor's id of the authorization.
  processor_id text,
  -- A code of the problem catalogue, and the processor's code.
  refusal_code text,
  decline_code text,
  -- Once set, no amount may stay authorized or captured, even if an authorization is found later.
  release_requested_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- 'released': an order that was released before it was ever authorized.
  check (state <> 'released' or release_requested_at is not null),
  check ((state = 'released') = (amount is null) and (amount is null) = (token is null)),
  check (state in ('sent', 'declined', 'released') or processor_id is not null),
  check ((state = 'declined') = (refusal_code is not null))
) with (fillfactor = 80); -- two to four updates a row, none of an indexed column: they stay on their page
