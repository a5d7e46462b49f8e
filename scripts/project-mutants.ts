import type { Mutant } from './mutant-table.ts'

/** Rules that several rows of a project keep together. */
export const projectMutants: readonly Mutant[] = [
  {
    file: 'src/records/project-rules.ts',
    rule: 'the rows of a project are checked under its lock',
    from: 'select pg_advisory_xact_lock(hashtextextended(name, 0))',
    to: 'select hashtextextended(name, 0)',
    tests: ['records/project-rules'],
  },
  {
    file: 'src/records/project-rules.ts',
    rule: 'a row that moves takes the locks of both projects',
    from: '  await lockProjects(transaction, [before.projectId, projectId])',
    to: '  await lockProjects(transaction, [])',
    tests: ['records/project-rules'],
  },
  {
    file: 'src/records/project-rules.ts',
    rule: 'an update that moves an assignment to another project takes a transaction',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the code.
    from: 'rejectIf: sql`before.project_id <> ${projectId}`',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the code.
    to: 'rejectIf: sql`before.project_id <> ${projectId} and false`',
    tests: ['journeys/labels'],
  },
  {
    file: 'src/records/project-rules.ts',
    rule: 'a link of an assignment that has moved does not return with its label',
    from: 'and not active and removed_with is not null',
    to: 'and not active and false',
    tests: ['journeys/labels'],
  },
  {
    file: 'src/records/project-rules.ts',
    rule: 'a limit of rows per project holds',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the code.
    from: 'having count(*) > ${max}::int',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the code.
    to: 'having count(*) > ${max + 1}::int',
    tests: ['journeys/labels'],
  },
  {
    file: 'src/resources/assignment-dependency.ts',
    rule: 'dependencies form no circle',
    from: 'if (others.length === left.length) return undefined',
    to: 'if (others.length === left.length) return links',
    tests: ['journeys/dependencies'],
  },
  {
    file: 'src/resources/assignment-dependency.ts',
    rule: 'the chain above a new dependency counts, too',
    from: 'longestChain([...below, ...above])',
    to: 'longestChain([...below])',
    tests: ['journeys/dependencies'],
  },
  {
    file: 'src/records/restore.ts',
    rule: 'a row that was removed with one of two parents of a table is not restored with the other',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the code.
    from: ' and removed_with = ${column(parentId)} and not active',
    to: ' and not active',
    tests: ['journeys/dependencies'],
  },
  {
    file: 'src/records/restore.ts',
    rule: 'links that break a rule do not keep what they belong to from being restored',
    from: "  if ('problem' in outcome)\n",
    to: "  if ('problem' in outcome) throw outcome.problem\n  if ('problem' in outcome)\n",
    tests: ['journeys/labels', 'journeys/dependencies'],
  },
  {
    file: 'src/records/write-conditions.ts',
    rule: 'a reference within one project to an unseen row is answered like a missing one',
    from: 'return projectRules?.sameProject?.includes(name)',
    to: 'return name.length < 0',
    tests: ['journeys/labels'],
  },
  {
    file: 'src/records/visible-rows.ts',
    rule: 'a list of removed rows changes with the parents of its rows',
    from: "const parents = state === 'removed' ? parentsOfRemoved(listed) : []",
    to: 'const parents: string[] = []',
    tests: ['journeys/labels'],
  },
]
