-- The processor's balance transactions contain the id of the charge. Few charges have a refund or a dispute, so this index is
-- small.
create index charge_mirrors_processor_id on charge_mirrors (processor_id);
