-- The processor refuses a refund of what a lost dispute left, so the customer of a cancelled order does not have it.
create index charge_mirrors_dispute_lost on charge_mirrors (updated_at) where disputes @> '[{"state": "lost"}]';
