import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openCommandClient } from '../../clients/typescript/src/commands.ts'
import { checkHealth, hasPsql, hosts, startDeployedHosts } from '../support/deployed-hosts.ts'
import { fixture } from '../support/fixture.ts'
import { poolerProgram } from '../support/pgbouncer.ts'
import { until } from '../support/until.ts'

function findReasonToSkip(): string | false {
  if (!hasPsql) return 'psql is not installed'
  return !poolerProgram && 'pgbouncer is not installed'
}

/** The time limit of a response while PostgreSQL is unavailable. */
const answerMillisecondsMax = 10_000

for (const mode of ['session', 'transaction'] as const) {
  describe(`The hosts of compose.yaml behind deploy/pgbouncer/pgbouncer.ini in ${mode} mode`, {
    skip: findReasonToSkip(),
  }, () => {
    const deployed = fixture(() => startDeployedHosts(mode))
    const addressOf = (name: string) => `http://127.0.0.1:${deployed.ports[name]}`
    const request = async (token: string, path: string, body?: object) => {
      const startedAt = performance.now()
      const response = await fetch(`${addressOf('rest')}${path}`, {
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      })
      const text = await response.text()
      return { status: response.status, text, milliseconds: performance.now() - startedAt }
    }
    const transact = (bank: string) =>
      fetch(`${addressOf(bank)}/clientes/1/transacoes`, {
        method: 'POST',
        body: JSON.stringify({ valor: 1, tipo: 'c', descricao: 'pooled' }),
        headers: { 'content-type': 'application/json' },
      })

    test('become healthy without further settings', async () => {
      for (const [name] of hosts)
        await until(async () => {
          assert.ok(deployed.isRunning(name), deployed.output(name))
          return (await checkHealth(name, deployed.ports[name])) === 0
        }, name)
    })

    test('serve concurrent writes and lists of many clients', async () => {
      const token = await deployed.tokenFor('svc.api')
      const answers = await Promise.all(
        Array.from({ length: 60 }, (_, count) =>
          count % 2 === 0
            ? request(token, '/api/organization', { name: `Pooled ${count}` })
            : request(token, '/api/organizations?search=pooled'),
        ),
      )
      assert.deepEqual(
        answers.filter(({ status }) => status !== 200),
        [],
      )
      const client = openCommandClient({
        target: `127.0.0.1:${deployed.ports.command}`,
        token: () => deployed.tokenFor('svc.grpc'),
      })
      const { result } = await client.listOrganizations({ pagination: { search: 'pooled' } })
      client.close()
      assert.equal(result?.totalCount, 30)
    })

    test('keep one ledger, whichever instance of the bank serves a request', async () => {
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, count) => transact(count % 2 === 0 ? 'bank-1' : 'bank-2')),
      )
      assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
      const statement = await fetch(`${addressOf('bank-2')}/clientes/1/extrato`)
      assert.equal(((await statement.json()) as { saldo: { total: number } }).saldo.total, 40)
    })

    for (const { failure, fail, repair } of [
      { failure: 'is dead', fail: 'rejectConnections', repair: 'acceptConnections' },
      { failure: 'is silent', fail: 'pause', repair: 'resume' },
    ] as const) {
      test(`are unavailable within ten seconds while PostgreSQL ${failure}`, async () => {
        const network = deployed.pooler?.network ?? assert.fail()
        const token = await deployed.tokenFor('svc.api')
        await request(token, '/api/organizations')
        await network[fail]()
        const answers = await Promise.all([
          request(token, '/api/organizations?search=new'),
          request(token, '/api/organization', { name: 'Not written' }),
          request(token, '/readyz'),
        ])
        const ofBank = await transact('bank-1')
        await network[repair]()
        const [list, write, readiness] = answers.map(({ status }) => status)
        assert.deepEqual([list, readiness], [503, 503], JSON.stringify(answers))
        // The response is 504 if the request was already sent when the store stopped responding.
        assert.ok(write === 503 || write === 504, JSON.stringify(answers))
        for (const { milliseconds } of answers)
          assert.ok(milliseconds < answerMillisecondsMax, `${milliseconds}`)
        assert.equal(ofBank.status, 422)
        await until(async () => (await request(token, '/api/organizations')).status === 200, 'lists')
        await until(async () => (await transact('bank-1')).status === 200, 'transactions')
        const name = `Written after it ${failure}`
        await until(
          async () => (await request(token, '/api/organization', { name })).status === 200,
          'writes',
        )
      })
    }
  })
}
