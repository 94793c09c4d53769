-- The balance transactions of the processor name the charge. Few charges have a refund or a dispute, so this index is small.
create index charge_mirrors_processor_id on charge_mirrors (processor_id);
