import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { hosts, services } from '../support/deployed-hosts.ts'
import {
  type Container,
  deployments,
  folder,
  literals,
  manifests,
  variablesOf,
} from '../support/read-manifests.ts'

const textOf = (path: string) => readFileSync(join(folder, '..', '..', path), 'utf8')
const containersOf = Object.entries(deployments)

describe('deploy/kubernetes', () => {
  test('has every host of compose.yaml with the variables it has there, and no other host', () => {
    assert.deepEqual(
      Object.keys(deployments).sort(),
      [...new Set(hosts.map(([, { command = [] }]) => command[0]))].sort(),
    )
    for (const [name, service] of hosts) {
      const host = service.command?.[0] ?? name
      const there = variablesOf(deployments[host] as Container)
      // Whose values have a place of their own there, or none by default.
      const elsewhere = ['SVC_ADMIN_LOGINS', 'BANK_OVER_LIMIT_STATUS', 'SMTP_URL', 'MAIL_FROM']
      const missing = Object.keys(service.environment).filter((variable) => !there.has(variable))
      assert.deepEqual(
        missing.filter((variable) => !elsewhere.includes(variable)),
        [],
        name,
      )
    }
  })

  test('sets only variables that docs/configuration.md explains', () => {
    const configuration = textOf('docs/configuration.md')
    for (const [name, container] of [...containersOf, ['prepare', prepare()] as const])
      for (const variable of variablesOf(container))
        assert.ok(configuration.includes(`\`${variable}\``), `${name}: ${variable}`)
  })

  test('has only ports that README.md explains, and asks the paths that hosts answer', () => {
    const readme = textOf('README.md')
    for (const [name, { ports, ...container }] of containersOf) {
      for (const { containerPort } of ports)
        assert.match(readme, new RegExp(`^\\| ${containerPort} \\| `, 'm'), name)
      const health = services[name === 'bank' ? 'bank-1' : name]?.healthcheck?.test.at(-1) ?? ''
      const asked = ports.find((port) => port.name === container.readinessProbe.httpGet.port)?.containerPort
      assert.equal(`http://127.0.0.1:${asked}${container.readinessProbe.httpGet.path}`, health, name)
      for (const probe of [container.startupProbe, container.livenessProbe])
        assert.deepEqual(
          probe.httpGet,
          { path: '/healthz', port: container.readinessProbe.httpGet.port },
          name,
        )
    }
  })

  test('keeps every secret in a Secret of the one host that needs it', () => {
    for (const [name, { env = [] }] of [...containersOf, ['prepare', prepare()] as const]) {
      for (const { name: variable, value, valueFrom } of env) {
        const isSecret = /DATABASE_URL|SECRET|Secret|PASSWORD|LOGIN/.test(variable)
        assert.equal(
          valueFrom?.secretKeyRef?.name,
          isSecret ? `tracker-${name}` : undefined,
          `${name}: ${variable}`,
        )
        assert.equal(value === undefined, isSecret, `${name}: ${variable}`)
      }
    }
    const text = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'))
    assert.doesNotMatch(text.join('\n'), /kind: Secret$/m)
  })

  test('lets no container write to its files, be root or take more than its share', () => {
    for (const { kind, spec } of manifests.filter(({ kind }) => ['Deployment', 'Job'].includes(kind))) {
      const pod = spec.template.spec
      assert.equal(pod.securityContext.runAsNonRoot, true, kind)
      assert.equal(pod.automountServiceAccountToken, false)
      const [{ securityContext, resources }] = pod.containers
      assert.equal(securityContext.readOnlyRootFilesystem, true)
      assert.equal(securityContext.allowPrivilegeEscalation, false)
      assert.deepEqual(securityContext.capabilities, { drop: ['ALL'] })
      assert.deepEqual(Object.keys({ ...resources.requests, ...resources.limits }).sort(), ['cpu', 'memory'])
    }
  })

  test('has a service, a disruption budget and an autoscaler of at least two for every host', () => {
    for (const [name] of containersOf) {
      const ofKind = (kind: string) =>
        manifests.filter((each) => each.kind === kind && each.metadata.name === name)
      assert.deepEqual(
        ['Service', 'PodDisruptionBudget', 'HorizontalPodAutoscaler'].map((kind) => ofKind(kind).length),
        [1, 1, 1],
      )
      assert.equal(ofKind('HorizontalPodAutoscaler')[0]?.spec.minReplicas, 2)
    }
  })

  test('gives a host longer to end than it takes', () => {
    const [, drainSeconds = ''] = /^DRAIN_SECONDS=(\d+)$/m.exec(literals.join('\n')) ?? []
    assert.ok(Number(drainSeconds) > 0)
    // It finishes what was begun in twenty seconds.
    for (const { spec } of manifests.filter(({ kind }) => kind === 'Deployment'))
      assert.ok(spec.template.spec.terminationGracePeriodSeconds > Number(drainSeconds) + 20)
  })
})

function prepare(): Container {
  const job = manifests.find(({ kind }) => kind === 'Job') ?? assert.fail('there is no job')
  return job.spec.template.spec.containers[0]
}
