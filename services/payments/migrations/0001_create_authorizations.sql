-- One row an order. The row is written before the processor is first asked ("sent") and is never deleted:
-- it is what makes a repeated command harmless.
create table authorizations (
  order_api_key text primary key,
  state text not null check (
    state in ('sent', 'authorized', 'captured', 'declined', 'voided', 'refunded', 'released')
  ),
  -- Cents.
  amount integer check (amount >= 0),
  -- The processor's for the card; never a card number.
  token text,
  -- The processor's name for the authorization.
  processor_id text,
  -- A row of the problem catalogue, and the processor's word for it.
  refusal_code text,
  decline_code text,
  -- Once set, nothing may stay held or taken, whatever is learnt afterwards.
  release_requested_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- 'released' stands for an order that was released before it was ever authorized.
  check (state <> 'released' or release_requested_at is not null),
  check ((state = 'released') = (amount is null) and (amount is null) = (token is null)),
  check (state in ('sent', 'declined', 'released') or processor_id is not null),
  check ((state = 'declined') = (refusal_code is not null))
) with (fillfactor = 80); -- two to four updates a row, none of an indexed column: they stay on their page
