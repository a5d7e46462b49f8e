import { administratorsOf } from '../../src/accounts/administrators.ts'
import type { Passwords } from '../../src/accounts/passwords.ts'
import { openBudgets } from '../../src/config/budgets.ts'
import type { Row, Values } from '../../src/db/rows.ts'
import { newId } from '../../src/db/rows.ts'
import type { Caller } from '../../src/model/caller.ts'
import { Problem, type ProblemKind } from '../../src/model/problem.ts'
import type { Context } from '../../src/records/context.ts'
import { create } from '../../src/records/create.ts'
import { resourceNamed } from '../../src/resources/all.ts'
import { freshDatabase } from './fresh-database.ts'

const administratorLogin = 'root@example.com'

/** Opens a database and a context, for tests of the verbs that need no network. */
export async function freshContext() {
  const { database, drop } = await freshDatabase()
  const context: Context = {
    database,
    passwords: cheapPasswords,
    budgets: openBudgets(),
    administrators: administratorsOf({ adminLogins: [administratorLogin] }),
  }
  const administrator: Caller = { id: newId(), isAdministrator: true }
  function make(resource: string, body: Values, caller = administrator): Promise<Row> {
    return create(context, resourceNamed(resource), caller, body)
  }
  await make('user', {
    id: administrator.id,
    name: 'Root',
    login: administratorLogin,
    password: 'Secret-123',
  })
  let userCount = 0
  const defaults: Readonly<Record<string, () => Promise<Values>>> = {
    user: async () => ({ name: 'Ann', login: `ann-${++userCount}@example.com`, password: 'Secret-123' }),
    organization: async () => ({ name: 'Organization' }),
    workflow: async () => ({ name: 'Workflow', order: 1 }),
    assignmentType: async () => ({ name: 'Type' }),
    impediment: async () => ({ name: 'Impediment' }),
    project: async () => ({ name: 'Project', organizationId: (await makeAny('organization')).id }),
    assignment: async () => ({
      name: 'Assignment',
      startDate: '2026-01-01',
      endDate: '2026-01-02',
      amountHours: 1,
      projectId: (await makeAny('project')).id,
      workflowId: (await makeAny('workflow')).id,
      userId: (await makeAny('user')).id,
      assignmentTypeId: (await makeAny('assignmentType')).id,
    }),
  }
  /** Creates a row of the resource with its parents, as an administrator. `values` replace the defaults. */
  const makeAny = async (resource: string, values: Values = {}): Promise<Row> =>
    make(resource, { ...(await defaults[resource]?.()), ...values })
  const asUser = ({ id }: Row): Caller => ({ id, isAdministrator: false })
  return { context, administrator, make, makeAny, asUser, drop }
}

/** Real hashes would only cost time in these tests. */
const cheapPasswords = {
  hash: async (password: string) => `cheap:${password}`,
  verify: async (hash: string, password: string) => hash === `cheap:${password}`,
} as unknown as Passwords

export const rejectedAs = (kind: ProblemKind) => (error: unknown) =>
  error instanceof Problem && error.kind === kind

/** Returns for each promise `ok`, or the kind of its Problem. */
export const outcomesOf = (settled: readonly PromiseSettledResult<unknown>[]): string[] =>
  settled.map((result) => {
    if (result.status === 'fulfilled') return 'ok'
    return result.reason instanceof Problem ? result.reason.kind : String(result.reason)
  })
