-- No version reads it.
alter table charge_mirrors drop column created_at;
