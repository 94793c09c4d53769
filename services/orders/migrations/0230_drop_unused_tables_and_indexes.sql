-- No version that may run beside this one uses them. Links of simulators ended with 0120. The indexes orders_after_sale and
-- orders_ended replaced these two, which only some installations have (decision 0147).
drop table simulated_orders;
drop index if exists orders_cancelled, orders_refunded;
