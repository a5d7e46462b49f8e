import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { allMutants } from '../../scripts/all-mutants.ts'
import { commands } from '../../src/cli/run-command.ts'
import { hosts, secrets, services } from '../support/deployed-hosts.ts'
import { parse, readCompose } from '../support/read-compose.ts'

const root = join(import.meta.dirname, '..', '..')
const textOf = (path: string) => readFileSync(join(root, path), 'utf8')
const testFiles = globSync('{src,test,clients}/**/*.test.ts', { cwd: root })

const operatorPages = [
  'operations',
  'deployment',
  'monitoring',
  'backup',
  'upgrades',
  'availability',
  'runbooks',
].map((name) => `docs/${name}.md`)

test('every file that a page of the documentation names exists', () => {
  const pages = ['README.md', 'SECURITY.md', 'CONTRIBUTING.md', 'CODE_OF_CONDUCT.md', ...operatorPages]
  const decisions = ['docs/decisions/0042-embedded-store.md', 'docs/decisions/0043-deployment.md']
  for (const page of [...pages, ...decisions]) {
    const named = [...textOf(page).matchAll(/`((?:src|test|docs|deploy|scripts|web|bench)\/[\w./-]+)`/g)]
    for (const [, path = ''] of named) assert.ok(existsSync(join(root, path)), `${page} names ${path}`)
  }
})

test('every link between the pages leads to a page and a heading', () => {
  const pages = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...globSync('docs/*.md', { cwd: root })]
  const anchorOf = (heading: string) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-')
  const anchors = (page: string) =>
    [...textOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading))
  for (const page of pages) {
    const links = textOf(page).matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)/g)
    for (const [, path = '', anchor] of links) {
      const target = path === '' ? page : join(page, '..', path)
      assert.ok(existsSync(join(root, target)), `${page} links to ${path}`)
      if (anchor !== undefined && target.endsWith('.md'))
        assert.ok(anchors(target).includes(anchor), `${page} links to ${path}#${anchor}`)
    }
  }
})

test('every npm script and command that the pages name exists', () => {
  const { scripts } = JSON.parse(textOf('package.json'))
  const pages = ['README.md', 'CONTRIBUTING.md', ...operatorPages, 'CHANGELOG.md']
  const named = (name: string) => Object.hasOwn(commands, name)
  for (const page of pages) {
    for (const [, script = ''] of textOf(page).matchAll(/npm run (?:--silent )?([\w-]+)/g))
      assert.ok(Object.hasOwn(scripts, script), `${page}: npm run ${script}`)
    for (const [, first = '', second] of textOf(page).matchAll(
      /(?:npm run cli --|node src\/cli\.ts) ([\w-]+)(?: ([\w-]+))?/g,
    ))
      assert.ok(named(first) || named(`${first} ${second}`), `${page}: ${first} ${second}`)
  }
})

test('every word that the pages give to npm test is part of the path of a test', () => {
  for (const page of ['README.md', 'CONTRIBUTING.md', ...globSync('{docs,web}/*.md', { cwd: root })])
    for (const [, given = ''] of textOf(page).matchAll(/npm test -- ([\w./ -]+)/g))
      for (const word of given
        .trim()
        .split(' ')
        .filter((part) => !part.startsWith('--')))
        assert.ok(
          testFiles.some((path) => path.includes(word)),
          `${page}: npm test -- ${word}`,
        )
})

test('every alert names a section of the runbooks that exists and is in their index', () => {
  const runbooks = textOf('docs/runbooks.md')
  const sections = [...runbooks.matchAll(/^## (.+)$/gm)].map(([, heading = '']) =>
    heading.toLowerCase().replaceAll(' ', '-'),
  )
  const { groups } = parse(textOf('deploy/prometheus/alerts.yml'))
  const alerts: { alert: string; annotations: { runbook?: string } }[] = groups.flatMap(
    ({ rules }: { rules: unknown[] }) => rules,
  )
  assert.ok(alerts.length >= 10)
  for (const { alert, annotations } of alerts) {
    const [page, section = ''] = annotations.runbook?.split('#') ?? []
    assert.deepEqual([page, sections.includes(section)], ['docs/runbooks.md', true], alert)
    assert.ok(runbooks.includes(`\`${alert}\``), `No symptom in the runbooks is ${alert}.`)
  }
  const linked = [...runbooks.matchAll(/\]\(#([\w-]+)\)/g)].map(([, section = '']) => section)
  assert.deepEqual(
    linked.filter((section) => !sections.includes(section)),
    [],
  )
  assert.deepEqual(
    sections.filter((section) => !linked.includes(section)),
    [],
  )
})

test('every mutant quotes a line of its file once', () => {
  for (const { file, rule, from, tests } of allMutants) {
    const times = existsSync(join(root, file)) ? textOf(file).split(from).length - 1 : 0
    assert.equal(times, 1, `${file}: ${rule}`)
    for (const words of tests)
      assert.ok(
        testFiles.some((path) => path.includes(words)),
        `${rule}: ${words}`,
      )
  }
})

test('the licence exists and is named', () => {
  const { license, version } = JSON.parse(textOf('package.json'))
  assert.equal(license, 'MIT')
  assert.match(textOf('LICENSE'), /^MIT License\n/)
  assert.match(textOf('CHANGELOG.md'), new RegExp(`^## ${version} - \\d{4}-\\d\\d-\\d\\d$`, 'm'))
  assert.equal(JSON.parse(textOf('clients/typescript/package.json')).version, version)
  assert.match(textOf('deploy/kubernetes/kustomization.yaml'), new RegExp(`newTag: ${version} `))
})

test('the public CI runs the gate on Linux and a start on macOS and Windows', () => {
  const { jobs } = parse(textOf('.github/workflows/ci.yml'))
  const commandsOf = (job: { steps: { run?: string }[] }) => job.steps.map(({ run }) => run ?? '').join('\n')
  assert.match(commandsOf(jobs.gate), /bash \.ci\/run$/m)
  const systems = jobs.start.strategy.matrix.os.join()
  assert.match(systems, /macos-.*windows-/)
  assert.match(commandsOf(jobs.start), /node scripts\/try-start\.ts/)
  const { updates } = parse(textOf('.github/dependabot.yml'))
  assert.ok(updates.length > 0)
})

test('the example environments name only settings that exist', () => {
  const namesIn = (path: string) => [...textOf(path).matchAll(/^#?(\w+)=\S/gm)].map(([, name]) => name ?? '')
  const ofUnits = namesIn('deploy/systemd/common.env.example')
  const configuration = textOf('docs/configuration.md')
  for (const name of ofUnits) assert.ok(configuration.includes(`\`${name}`), name)
  for (const name of ['Jwt__MetadataAddress', 'NODE_EXTRA_CA_CERTS']) assert.ok(ofUnits.includes(name), name)
  const ofContainers = namesIn('deploy/make-env')
  for (const name of ofContainers) assert.ok(textOf('compose.yaml').includes(`\${${name}:-`), name)
  for (const name of ['METADATA_URL', 'AUTHORITY_FILE']) assert.ok(ofContainers.includes(name), name)
})

test('the units of systemd are valid', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'unit-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const units = globSync('tracker*.*', { cwd: join(root, 'deploy/systemd') }).filter(
    (name) => !name.endsWith('.d'),
  )
  assert.ok(units.length >= 4)
  try {
    execFileSync('systemd-analyze', ['--version'], { stdio: 'ignore' })
  } catch {
    return t.skip('systemd is not installed')
  }
  for (const name of units) {
    // systemd checks whether the programs exist, so the paths are those of this machine.
    const adapted = textOf(`deploy/systemd/${name}`)
      .replace('ExecStart=/opt/tracker/node_modules/.bin/node', `ExecStart=${process.execPath}`)
      .replaceAll('file:///opt/tracker', `file://${root}`)
    writeFileSync(join(folder, name), adapted)
  }
  // Each unknown key or wrong value causes a line about its file.
  const paths = units.map((name) => join(folder, name))
  const output = execFileSync(
    '/bin/sh',
    ['-c', 'systemd-analyze verify "$@" 2>&1 || true', 'verify', ...paths],
    { encoding: 'utf8' },
  )
  assert.deepEqual(
    output.split('\n').filter((line) => line.includes('tracker')),
    [],
  )
})

const decisionsFolder = join(root, 'docs/decisions')
const records = readdirSync(decisionsFolder)
const numbers = new Set(records.map((name) => name.slice(0, 4)))

describe('The decision records', () => {
  test('are at most forty, one for each number', () => {
    assert.ok(records.length <= 40, `${records.length} records: merge those on one subject.`)
    assert.equal(numbers.size, records.length)
  })

  for (const name of records) {
    test(`have at most 60 lines in three parts, and name records that exist: ${name}`, () => {
      const text = readFileSync(join(decisionsFolder, name), 'utf8')
      const lines = text.trimEnd().split('\n')
      assert.ok(lines.length <= 60, `${lines.length} lines`)
      assert.ok(lines[0]?.startsWith(`# ${name.slice(0, 4)} `), lines[0])
      const headings = lines.filter((line) => line.startsWith('## '))
      assert.deepEqual(headings, ['## Context', '## Decision', '## Consequences'])
      const named = [...text.matchAll(/(?<!migration )\b0[01]\d\d\b(?!-)/g)].map(([number]) => number)
      assert.deepEqual(
        named.filter((number) => !numbers.has(number)),
        [],
      )
    })
  }

  test('exist wherever another file refers to one', () => {
    const sources = globSync(
      '{src,test,scripts,bench,clients,deploy,web/src,docs}/**/*.{ts,tsx,md,sql,conf,cfg}',
      { cwd: root, exclude: (path) => /node_modules|docs\/decisions|decisions\.test\.ts/.test(path) },
    )
    const pages = ['CONTRIBUTING.md', 'README.md', 'SECURITY.md', 'web/README.md']
    const pattern = /decisions\/\d{4}|decision \[?\d{4}|\((?:see )?0[01]\d\d\)/i
    const lines = [...sources, ...pages].flatMap((path) =>
      textOf(path)
        .split('\n')
        .filter((line) => pattern.test(line))
        .map((line) => `${path}: ${line}`),
    )
    assert.ok(lines.length > 10)
    for (const line of lines) {
      for (const [, path = ''] of line.matchAll(/decisions\/(\d{4}-[\w-]+\.md)/g))
        assert.ok(records.includes(path), line)
      for (const [, number = ''] of line.matchAll(/(?:decision \[?|\((?:see )?)(0[01]\d\d)\b/gi))
        assert.ok(numbers.has(number), line)
    }
  })
})

test('the entries of the changelog are short', () => {
  const lines = textOf('CHANGELOG.md').split('\n')
  const headings = lines.filter((line) => line.startsWith('### '))
  assert.deepEqual([...new Set(headings)].sort(), ['### Added', '### Changed', '### Fixed'])
  const entries = lines.filter((line) => line.startsWith('- '))
  assert.ok(entries.length > 100)
  assert.deepEqual(
    entries.filter((entry) => entry.slice(2).split(/\s+/).length > 25),
    [],
  )
})

describe('compose.yaml', () => {
  test('requires every secret before anything starts', () => {
    for (const name of Object.keys(secrets))
      assert.throws(() => readCompose({ ...secrets, [name]: '' }), new RegExp(`${name} is missing`))
  })

  test('has two equal instances of the bank', () => {
    assert.deepEqual(services['bank-1'], services['bank-2'])
    const { volumes = [], depends_on = {} } = services.bank ?? {}
    const [file = ''] = volumes[0]?.split(':') ?? []
    const upstreams = [...textOf(file).matchAll(/^\s*server (bank-\d):9999 /gm)].map(([, name]) => name)
    assert.deepEqual(upstreams, ['bank-1', 'bank-2'])
    assert.deepEqual(Object.keys(depends_on), upstreams)
  })

  test('sets only variables that docs/configuration.md explains', () => {
    const [readme, configuration] = [textOf('README.md'), textOf('docs/configuration.md')]
    for (const [name, { environment, ports = [], healthcheck }] of hosts) {
      for (const variable of Object.keys(environment)) {
        assert.ok(configuration.includes(`\`${variable}\``), `${name}: ${variable}`)
      }
      const [, port = ''] = /:(\d+)\//.exec(healthcheck?.test.at(-1) ?? '') ?? []
      assert.match(readme, new RegExp(`^\\| ${port} \\| `, 'm'), name)
      assert.deepEqual(ports, [], `${name}: only the proxies are published`)
    }
  })

  test('builds one image without root, from files that .dockerignore includes', () => {
    const dockerfile = textOf('Dockerfile')
    assert.match(dockerfile, /^ARG NODE_IMAGE=node:24\S*\nFROM \$\{NODE_IMAGE\} AS packages$/m)
    assert.match(dockerfile, /^USER node$/m)
    const { scripts } = JSON.parse(textOf('package.json'))
    assert.equal(
      /^ENTRYPOINT (.+)$/m.exec(dockerfile)?.[1],
      JSON.stringify(scripts.start.split(' ')).replaceAll(',', ', '),
    )
    const option = scripts.start.split(' ')[1]
    for (const unit of ['tracker.service', 'tracker@.service'])
      assert.match(textOf(`deploy/systemd/${unit}`), new RegExp(`^ExecStart=\\S+node ${option} `, 'm'))
    const includedPaths = [...textOf('.dockerignore').matchAll(/^!(.+)$/gm)].map(([, path]) => path ?? '')
    assert.deepEqual(
      includedPaths.filter((path) => !existsSync(join(root, path))),
      [],
    )
    const program = hosts[0]?.[1].healthcheck?.test[2] ?? ''
    assert.ok(includedPaths.includes(program), program)
  })

  test('installs in the image every package that builds the web client', () => {
    const { dependencies } = JSON.parse(textOf('package.json'))
    const sources = globSync(['web/src/**/*.{ts,tsx}', 'web/vite.config.ts', 'scripts/build-web.ts'], {
      cwd: root,
    })
    const imported = sources
      .filter((path) => !path.includes('.test.'))
      .flatMap((path) => [...textOf(path).matchAll(/^import .*?'((?:@[\w-]+\/)?[a-z][\w-]*)/gm)])
      .map(([, name]) => name ?? '')
    assert.ok(imported.includes('preact') && imported.includes('vite'))
    assert.deepEqual(
      [...new Set(imported)].filter((name) => !(name in dependencies) && name !== 'node'),
      [],
    )
  })

  test('publishes nothing but nginx', () => {
    const published = Object.entries(services).filter(([, { ports = [] }]) => ports.length > 0)
    for (const [name, { image }] of published) assert.match(image ?? '', /^nginx:/, name)
    const ports = published.flatMap(([, { ports = [] }]) => ports.map((mapping) => mapping.split(':')[1]))
    assert.deepEqual(ports.sort(), ['5100', '5200', '5300', '5400', '9999'])
  })

  test('gives each secret to the containers that use it', () => {
    const holdersOf = (secret: string) =>
      Object.entries(services).flatMap(([name, service]) =>
        JSON.stringify(service).includes(secret) ? [name] : [],
      )
    const holders = Object.fromEntries(
      Object.entries(secrets).map(([name, secret]) => [name, holdersOf(secret)]),
    )
    assert.deepEqual(holders, {
      POSTGRES_PASSWORD: ['database'],
      MIGRATION_PASSWORD: ['database', 'prepare', 'backup'],
      REST_PASSWORD: ['database', 'rest'],
      COMMANDS_PASSWORD: ['database', 'commands'],
      IDENTITY_PASSWORD: ['database', 'identity'],
      BANK_PASSWORD: ['database', 'bank-1', 'bank-2'],
      IDENTITY_KEY_SECRET: ['identity'],
    })
  })

  test('does not connect the web host with the store', () => {
    const { environment, networks, volumes } = services.web ?? assert.fail()
    assert.deepEqual([Object.hasOwn(environment, 'DATABASE_URL'), networks, volumes], [false, ['front'], []])
    for (const [name, service] of Object.entries(services)) {
      assert.equal(service.read_only, true, name)
      assert.deepEqual(service.cap_drop, ['ALL'], name)
      assert.deepEqual(service.security_opt, ['no-new-privileges:true'], name)
      assert.ok(service.build !== undefined || ['postgres', 'nginx'].includes(service.user ?? ''), name)
    }
  })

  test('gets its secrets from a script that never overwrites them', () => {
    const folder = mkdtempSync(join(tmpdir(), 'make-env-'))
    try {
      mkdirSync(join(folder, 'deploy'))
      cpSync(join(root, 'deploy', 'make-env'), join(folder, 'deploy', 'make-env'))
      const make = () => execFileSync('sh', ['deploy/make-env'], { cwd: folder, stdio: 'pipe' })
      make()
      const text = readFileSync(join(folder, '.env'), 'utf8')
      assert.deepEqual(
        [...text.matchAll(/^(\w+)=[0-9a-f]{48}$/gm)].map(([, name]) => name ?? ''),
        Object.keys(secrets),
      )
      assert.equal(statSync(join(folder, '.env')).mode & 0o077, 0)
      assert.throws(make, /is there already/)
      assert.equal(readFileSync(join(folder, '.env'), 'utf8'), text)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
