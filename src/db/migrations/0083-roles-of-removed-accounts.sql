-- A removed account loses the role of administrator; those that were removed before it was so lose it now.
delete from administrators where user_id in (select id from users where not active);
