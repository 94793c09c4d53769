-- A refund that failed after its order was cancelled is an incident until the customer has the money. Few refunds fail.
create index charge_mirrors_refund_failed on charge_mirrors (updated_at) where refunds @> '[{"state": "failed"}]';
