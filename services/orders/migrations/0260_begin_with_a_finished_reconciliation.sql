-- A reconciliation is overdue 30 hours after the last one. Without this, the first one would never be overdue.
update scheduled_runs set finished_at = now() where name = 'reconcile' and finished_at is null;
