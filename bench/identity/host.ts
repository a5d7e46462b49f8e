import { createPasswords } from '../../src/accounts/passwords.ts'
import { openBudgets } from '../../src/config/budgets.ts'
import { readSettings } from '../../src/config/settings.ts'
import { openDatabase } from '../../src/db/database.ts'
import { readIdentitySettings } from '../../src/hosts/identity/configuration.ts'
import { startIdentity } from '../../src/hosts/identity/main.ts'
import { createLog } from '../../src/http/log.ts'

// The real host in a separate process, so that its CPU time is measured without the client's.
// Prints its port.
const settings = readSettings(process.env, readIdentitySettings)
const database = openDatabase({ url: process.env.DATABASE_URL ?? '', applicationName: 'bench' })
const log = createLog({ level: settings.logLevel })
const { app } = await startIdentity(
  { database, passwords: createPasswords(), budgets: openBudgets() },
  settings,
  log,
)
console.log(new URL(app.listeningOrigin).port)
