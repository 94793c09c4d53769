-- The trace context of the request that began the saga (W3C Trace Context), so that a republished command belongs to the same
-- trace. Null without telemetry.
alter table sagas add column traceparent text;
