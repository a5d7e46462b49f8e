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
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the quoted source is a template.
    from: 'rejectIf: sql`before.project_id <> ${projectId}`',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the quoted source is a template.
    to: 'rejectIf: sql`before.project_id <> ${projectId} and false`',
    tests: ['journeys/labels'],
  },
  {
    file: 'src/records/project-rules.ts',
    rule: 'restoring a label does not restore its link to an assignment that has moved to another project',
    from: 'and not active and removed_with is not null',
    to: 'and not active and false',
    tests: ['journeys/labels'],
  },
  {
    file: 'src/records/project-rules.ts',
    rule: 'a project has no more rows of a resource than its limit',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the quoted source is a template.
    from: 'having count(*) > ${max}::int',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the quoted source is a template.
    to: 'having count(*) > ${max + 1}::int',
    tests: ['journeys/labels'],
  },
  {
    file: 'src/resources/assignment-dependency.ts',
    rule: 'dependencies cannot form a cycle',
    from: 'if (shortened.length === remaining.length) return undefined',
    to: 'if (shortened.length === remaining.length) return links',
    tests: ['journeys/dependencies'],
  },
  {
    file: 'src/resources/assignment-dependency.ts',
    rule: 'the chain above a new dependency counts towards the maximum length, too',
    from: 'longestChain([...below, ...above])',
    to: 'longestChain([...below])',
    tests: ['journeys/dependencies'],
  },
  {
    file: 'src/records/remove.ts',
    rule: 'a row with two parents in one table is restored only with the parent that it was removed with',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the quoted source is a template.
    from: ' and removed_with = ${column(parentId)} and not active',
    to: ' and not active',
    tests: ['journeys/dependencies'],
  },
  {
    file: 'src/records/remove.ts',
    rule: 'a row is restored even if its links now break a rule',
    from: "  if ('problem' in outcome)\n",
    to: "  if ('problem' in outcome) throw outcome.problem\n  if ('problem' in outcome)\n",
    tests: ['journeys/labels', 'journeys/dependencies'],
  },
  {
    file: 'src/records/write-conditions.ts',
    rule: 'a reference within a project to a row that the caller cannot see gets the same answer as a missing row',
    from: 'return projectRules?.sameProject?.includes(name)',
    to: 'return name.length < 0',
    tests: ['journeys/labels'],
  },
  {
    file: 'src/records/visible-rows.ts',
    rule: 'a list of removed rows changes when the parents of its rows do',
    from: "const parents = state === 'removed' ? parentsOfRemoved(resource) : []",
    to: 'const parents: string[] = []',
    tests: ['journeys/labels'],
  },
]
