-- Operators search for orders by status and payment state. Both change in every step, so no index may contain them (0130). These
-- copies are null in ordinary orders. A cancellation or refund sets them, and later changes update them. Rows of earlier
-- cancellations have none; the index orders_ended_before finds them (decision 0153), so no row is rewritten here.
alter table orders
  add column ended_status text,
  add column ended_payment_state text;

do $migration$ begin
  execute format($$
    create or replace function note_change() returns trigger language plpgsql as $function$
    begin
      new.changed_in := pg_current_xact_id();
      new.changed_bucket := %I.bucket_of(new.changed_in);
      new.is_open := new.status <> 'DELIVERED' and new.cancellation is null and new.outcome <> 'failed';
      if new.cancellation is not null or new.refunds is not null then
        new.ended_status := new.status;
        new.ended_payment_state := new.payment_state;
      end if;
      return new;
    end $function$
  $$, current_schema);
end $migration$;
