import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { declaredSettings } from '../../src/config/declared-settings.ts'
import type { Setting } from '../../src/config/setting-kinds.ts'
import { hosts, services } from '../support/deployed-hosts.ts'
import {
  type Container,
  deployments,
  folder,
  literals,
  manifests,
  readManifests,
  variablesOf,
} from '../support/read-manifests.ts'

const textOf = (path: string) => readFileSync(join(folder, '..', '..', path), 'utf8')
const containersOf = Object.entries(deployments)

describe('deploy/kubernetes', () => {
  test('has exactly the hosts of compose.yaml', () => {
    assert.deepEqual(
      Object.keys(deployments).sort(),
      [...new Set(hosts.map(([, { command = [] }]) => command[0]))].sort(),
    )
    for (const [name, service] of hosts) {
      const host = service.command?.[0] ?? name
      const there = variablesOf(deployments[host] as Container)
      // These variables have another place in Kubernetes, or no value by default.
      const setElsewhere = [
        'SVC_ADMIN_LOGINS',
        'BANK_OVER_LIMIT_STATUS',
        'SMTP_URL',
        'MAIL_FROM',
        'NODE_EXTRA_CA_CERTS',
      ]
      const missing = Object.keys(service.environment).filter(
        (variable) => !there.has(variable) && !there.has(`${variable}_FILE`),
      )
      assert.deepEqual(
        missing.filter((variable) => !setElsewhere.includes(variable)),
        [],
        name,
      )
    }
  })

  test('sets only variables that docs/configuration.md explains', () => {
    const configuration = textOf('docs/configuration.md')
    for (const [name, container] of [...containersOf, ['prepare', prepare()] as const])
      for (const variable of variablesOf(container))
        assert.ok(configuration.includes(`\`${variable.replace(/_FILE$/, '')}\``), `${name}: ${variable}`)
  })

  test('has only ports that README.md explains', () => {
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
    for (const { metadata, spec } of manifests.filter(({ kind }) => ['Deployment', 'Job'].includes(kind)))
      checkSecrets(metadata.name, spec.template.spec)
    const text = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'))
    assert.doesNotMatch(text.join('\n'), /kind: Secret$/m)
  })

  test('lets no container write to its files, run as root or use more than its share', () => {
    for (const { kind, spec } of manifests.filter(({ kind }) =>
      ['Deployment', 'Job', 'CronJob'].includes(kind),
    )) {
      const pod = (spec.jobTemplate?.spec ?? spec).template.spec
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

  test('has a route of the Gateway API for each route of the Ingress, to the same service', () => {
    const gateway = readManifests('gateway.yaml')
    const routes = gateway.filter(({ kind }) => kind.endsWith('Route'))
    const targetOf = (host: string, backend: { name: string }) => `${host} ${backend.name}`
    const rules = manifests.flatMap(({ kind, spec }) => (kind === 'Ingress' ? spec.rules : []))
    const byIngress = rules.flatMap(({ host, http }) =>
      http.paths.map((path: { backend: { service: { name: string } } }) =>
        targetOf(host, path.backend.service),
      ),
    )
    const backends = routes.flatMap(({ spec }) => spec.rules[0].backendRefs)
    assert.deepEqual(
      routes.map(({ spec }) => targetOf(spec.hostnames[0], spec.rules[0].backendRefs[0])).sort(),
      [...new Set(byIngress)].sort(),
    )
    for (const { name, port } of backends) {
      const service = manifests.find(({ kind, metadata }) => kind === 'Service' && metadata.name === name)
      assert.equal(service?.spec.ports[0].port, port, name)
    }
  })

  test('opens no more connections than the database allows', () => {
    const kustomization = readFileSync(join(folder, 'kustomization.yaml'), 'utf8')
    const maxConnections = Number(/max_connections = (\d+)/.exec(kustomization)?.[1])
    assert.ok(textOf('docs/availability.md').includes(`\`max_connections = ${maxConnections}\``))
    const ofProcess = Number(/^DB_CONNECTIONS=(\d+)$/m.exec(literals.join('\n'))?.[1])
    const perPod: Readonly<Record<string, number>> = {
      rest: ofProcess,
      commands: ofProcess,
      identity: ofProcess,
      web: 0,
      bank: bankConnections,
    }
    const opened = containersOf.map(([name]) => {
      const found = (kind: string) =>
        manifests.find((each) => each.kind === kind && each.metadata.name === name)?.spec
      const pods =
        found('HorizontalPodAutoscaler').maxReplicas + found('Deployment').strategy.rollingUpdate.maxSurge
      return pods * (perPod[name] ?? assert.fail(name))
    })
    const sum = opened.reduce((total, count) => total + count)
    assert.ok(sum + jobConnections + superuserConnections <= maxConnections, `${sum}`)
  })

  test('gives a host more time to stop than it needs', () => {
    const [, drainSeconds = ''] = /^DRAIN_SECONDS=(\d+)$/m.exec(literals.join('\n')) ?? []
    assert.ok(Number(drainSeconds) > 0)
    // A host finishes the requests in progress within twenty seconds.
    for (const { spec } of manifests.filter(({ kind }) => kind === 'Deployment'))
      assert.ok(spec.template.spec.terminationGracePeriodSeconds > Number(drainSeconds) + 20)
    for (const [name, { stop_grace_period = '' }] of hosts)
      assert.ok(Number.parseInt(stop_grace_period, 10) > 20, name)
  })
})

/** BANK_INSTANCES is 1 in the manifests. */
const bankConnections = 2
/**
 * The connections of the job that prepares the store. It runs while hosts of the previous version are
 * running.
 */
const jobConnections = 5
/** PostgreSQL reserves three connections for superusers by default. */
const superuserConnections = 3

const secretNames: ReadonlySet<string> = new Set(
  Object.entries<Setting<unknown>>(declaredSettings).flatMap(([name, { isSecret }]) =>
    isSecret ? name : [],
  ),
)

interface Pod {
  readonly containers: readonly [
    Container & { readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[] },
  ]
  readonly volumes: readonly { readonly secret?: { readonly secretName: string } }[]
}

function checkSecrets(host: string, { volumes, containers }: Pod): void {
  const [{ env = [], volumeMounts }] = containers
  const mounted = volumes.flatMap(({ secret }) => secret?.secretName ?? [])
  assert.deepEqual(mounted, host === 'web' ? [] : [`tracker-${host}`])
  if (mounted.length > 0)
    assert.deepEqual(
      volumeMounts.find(({ name }) => name === 'secrets'),
      { name: 'secrets', mountPath: '/run/secrets/tracker', readOnly: true },
    )
  for (const { name, value, valueFrom } of env) {
    const variable = name.replace(/_FILE$/, '')
    // A variable that names a file cannot be optional.
    const isOptional = valueFrom?.secretKeyRef?.optional === true
    assert.equal(name.endsWith('_FILE'), secretNames.has(variable) && !isOptional, `${host}: ${name}`)
    if (name.endsWith('_FILE')) assert.equal(value, `/run/secrets/tracker/${variable}`)
    else if (valueFrom) assert.equal(valueFrom.secretKeyRef?.name, `tracker-${host}`)
  }
}

function prepare(): Container {
  const job = manifests.find(({ kind }) => kind === 'Job') ?? assert.fail('there is no job')
  return job.spec.template.spec.containers[0]
}
