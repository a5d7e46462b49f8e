-- An account's statement as JSON, in one snapshot. The settings leave the backward scan of the key as the only plan: one
-- made while the ledger is small would sort an account's whole history, and a session keeps its plan while the ledger grows.
create function bank.statement(account integer) returns text
language plpgsql stable
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
begin
  return (
    select json_build_object(
      'saldo', json_build_object(
        'total', a.balance,
        'data_extrato', to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'),
        'limite', a.credit_limit),
      'ultimas_transacoes', coalesce((
        select json_agg(json_build_object(
          'valor', abs(latest.amount::bigint),
          'tipo', case when latest.amount > 0 then 'c' else 'd' end,
          'descricao', latest.description,
          'realizada_em', to_char(latest.applied_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US')
        ) order by latest.seq desc)
        from (
          select * from bank.ledger as l where l.account_id = a.id order by l.seq desc limit 10
        ) as latest), '[]'))
    from bank.account as a where a.id = account);
end $$;
