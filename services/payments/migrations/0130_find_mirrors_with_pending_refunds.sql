-- A pending refund may end without a movement of money, so its charge is read again until then. Few refunds are pending.
create index charge_mirrors_pending on charge_mirrors (updated_at) where refunds @> '[{"state": "pending"}]';
