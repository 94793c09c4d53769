-- A lost dispute may be won by an appeal, after its order was cancelled: then the customer does not have the money any more.
create index charge_mirrors_dispute_won on charge_mirrors (updated_at) where disputes @> '[{"state": "won"}]';
