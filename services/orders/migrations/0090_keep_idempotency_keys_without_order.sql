-- Also for POSTs that place no order: report-status, refuse-order, retry-attention. Their keys have no order and no pending
-- request.
alter table idempotency_keys alter column order_api_key drop not null, alter column busy_until drop not null;
