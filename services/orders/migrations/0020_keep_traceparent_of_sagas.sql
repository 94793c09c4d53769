-- Where the trace of the request stood that began the saga (W3C Trace Context), so that a step that is said again is
-- found in the same trace. Null without telemetry.
alter table sagas add column traceparent text;
