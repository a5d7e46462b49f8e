import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Environment, readSettings, SettingsError, unknownSettings } from '../../config/settings.ts'
import { readStoreSettings } from '../../config/store-settings.ts'
import { runningStoreUrl } from '../../db/embedded/start-embedded-store.ts'
import { selectHosts } from '../hosts.ts'
import { checkAddresses } from './check-addresses.ts'
import { checkFolder, checkPorts, checkProcesses } from './check-machine.ts'
import { checkStandbys } from './check-standbys.ts'
import { checkStore } from './check-store.ts'
import { error, type Finding, ok, warning } from './finding.ts'

const gradeWidth = 9
const subjectWidth = 16

/** `npm run doctor`: checks, and changes nothing. The exit code is 1 if there is an error. */
export async function runDoctor(): Promise<void> {
  const findings = await examine(process.env)
  for (const { grade, subject, result, advice } of findings) {
    console.log(`${grade.padEnd(gradeWidth)}${subject.padEnd(subjectWidth)}${result}`)
    if (advice !== undefined) console.log(`${' '.repeat(gradeWidth + subjectWidth)}${advice}`)
  }
  const count = findings.filter(({ grade }) => grade === 'error').length
  console.log(`\n${count === 0 ? 'No' : count} ${count === 1 ? 'error' : 'errors'}.`)
  if (count > 0) process.exitCode = 1
}

export async function examine(environment: Environment): Promise<readonly Finding[]> {
  const configuration = checkConfiguration(environment)
  const node = checkNode(process.versions.node)
  if (configuration.grade === 'error') return [configuration, node]
  const settings = readSettings(environment, readStoreSettings)
  const { databaseUrl, dataDirectory } = settings
  const url = databaseUrl ?? runningStoreUrl(dataDirectory)
  const groups = await Promise.all([
    checkFolder(settings),
    url === undefined ? [embeddedStoreNotRunning(dataDirectory)] : checkStore(url, environment),
    checkStandbys(settings.readUrls),
    checkAddresses(environment),
    checkPorts(environment),
    checkProcesses(settings),
  ])
  return [configuration, node, ...groups.flat()]
}

function checkConfiguration(environment: Environment): Finding {
  try {
    readSettings(environment, (settings) => {
      readStoreSettings(settings)
      // Parses the settings of every host, and starts none.
      for (const parseSettings of selectHosts([])) parseSettings(settings)
    })
    const unknown = unknownSettings(environment)
    if (unknown.length > 0)
      return warning('configuration', unknown.join(' '), 'docs/configuration.md lists every variable.')
    return ok('configuration', 'every variable is valid')
  } catch (cause) {
    if (!(cause instanceof SettingsError)) throw cause
    return error(
      'configuration',
      cause.problems.join(' '),
      'docs/configuration.md lists every variable and its default.',
    )
  }
}

const nodeMajorMin = 24

function checkNode(version: string): Finding {
  if (Number(version.split('.')[0]) >= nodeMajorMin) return ok('node', version)
  return error('node', version, `Start with npm, which uses Node ${nodeMajorMin} from the packages.`)
}

const embeddedStoreNotRunning = (dataDirectory: string): Finding =>
  existsSync(join(dataDirectory, 'postgres'))
    ? warning(
        'store',
        `the embedded PostgreSQL in ${dataDirectory} is not running`,
        'Run npm start, then run the doctor again.',
      )
    : warning(
        'store',
        `there is no store in ${dataDirectory} yet`,
        'npm start creates one; or set DATABASE_URL. The web host needs no store.',
      )
