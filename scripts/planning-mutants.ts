// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what is replaced stands so in templates.
import type { Mutant } from './mutant-table.ts'

/** The rules of the fields that extensions add to resources of v1. */
export const planningMutants: readonly Mutant[] = [
  {
    file: 'src/features/account-settings.ts',
    rule: 'a change of one setting leaves the others as they are',
    from: 'case when ${theme !== undefined}::boolean then excluded.theme else known.theme end',
    to: 'excluded.theme',
    tests: ['journeys/account-settings'],
  },
  {
    file: 'src/features/account-settings.ts',
    rule: 'an account has settings of its own',
    from: ' from account_settings where user_id = ${caller.id}',
    to: ' from account_settings',
    tests: ['journeys/account-settings'],
  },
  {
    file: 'src/accounts/language.ts',
    rule: 'mails are in the chosen language',
    from: '(select language from account_settings where user_id = ${accountId}),',
    to: 'null::text,',
    tests: ['journeys/mails'],
  },
  {
    file: 'src/features/timer.ts',
    rule: 'an account has one timer, and a second start is told so',
    from: 'on conflict (user_id) do nothing returning',
    to: 'on conflict (user_id) do update set started_at = now() returning',
    tests: ['journeys/timer'],
  },
  {
    file: 'src/features/timer.ts',
    rule: 'a timer whose appointment is rejected keeps running',
    from: 'await transaction.query<{ assignmentId',
    to: 'await database.singleWrites.query<{ assignmentId',
    tests: ['journeys/timer'],
  },
  {
    file: 'src/features/timer.ts',
    rule: 'a forgotten timer asks how many hours to book',
    from: 'amountHours === undefined && hours > forgottenHours',
    to: 'false',
    tests: ['journeys/timer'],
  },
  {
    file: 'src/features/timer.ts',
    rule: 'a timer tells nothing of an assignment that its account does not see',
    from: ' and row.active and ${visibleRows(assignment, caller)}',
    to: '',
    tests: ['journeys/timer'],
  },
  {
    file: 'src/resources/editions.ts',
    rule: 'v1 neither shows nor accepts a field of extensions',
    from: 'filter(([, field]) => !field.isExtension)',
    to: 'filter(([, field]) => !field.isSecret)',
    tests: ['extension-fields'],
  },
  {
    file: 'src/resources/editions.ts',
    rule: 'an update under /ext/ leaves what it does not name',
    from: "field.presence === 'required' ?",
    to: "field.presence === 'updateOnly' ?",
    tests: ['extension-fields'],
  },
  {
    file: 'src/resources/editions.ts',
    rule: 'the history has the fields of extensions of a row that v1 wrote',
    from: '    historyColumns: columns,\n',
    to: '',
    tests: ['extension-fields'],
  },
  {
    file: 'src/resources/assignment.ts',
    rule: 'a new end is compared with the stored start',
    from: '::timestamptz < before.start_date`',
    to: '::timestamptz is null`',
    tests: ['extension-fields'],
  },
  {
    file: 'src/records/create.ts',
    rule: 'writes through different forms never share a statement',
    from: 'name: [verb, resource.typeName,',
    to: 'name: [verb, resource.name,',
    tests: ['extension-fields'],
  },
  {
    file: 'src/routes/if-match.ts',
    rule: 'a tag of v1 is good for a write under /ext/, and the other way round',
    from: 'forms.some((form) => matchesStrongly(ifMatch, etagOf(form, caller, row)))',
    to: 'matchesStrongly(ifMatch, etagOf(forms[0] ?? resource, caller, row))',
    tests: ['extension-fields'],
  },
]
