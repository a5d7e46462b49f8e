import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { catalog, membersOfProject } from '../model/access-rule.ts'
import { byServer, type Field, references, required, secret, updateOnly } from '../model/field.ts'
import { text, timestamp, uuid } from '../model/field-kinds.ts'
import { resources } from './all.ts'
import { checkDeclarations, declarationProblems } from './check-declarations.ts'
import { defineResource, type Resource } from './define-resource.ts'

/** Returns a valid resource, or one with a mistake. The compiler would reject most of the mistakes. */
const widget = (mistake: object = {}): Resource => ({
  ...defineResource({
    name: 'widget',
    edition: 'ext',
    table: 'widgets',
    fields: {
      name: required(2, text({ max: 200 })),
      projectId: references(3, uuid, 'project', 'cascade'),
      dueDate: required(4, timestamp),
    },
    access: membersOfProject,
    filters: ['projectId', { instant: 'dueDate' }],
  }),
  ...mistake,
})

const withField = (name: string, field: object): Resource =>
  widget({ fields: { ...widget().fields, [name]: { ...required(5, text({ max: 9 })), ...field } as Field } })

const withReference = (resource: string, onRemove: string): Resource =>
  withField('otherId', { wire: 'uuid', references: { resource, onRemove } })

const rowsMax = { per: 'projectId', max: 5, message: 'A project may have at most 5 widgets.' }
const assignmentId = references(2, uuid, 'assignment', 'cascade')
const accessByAssignment = { kind: 'projectMembers', projectPath: ['assignmentId', 'projectId'] }

const mistakes: readonly (readonly [Resource, string])[] = [
  [widget({ name: 'project' }), 'project: the name project is already that of project.'],
  [widget({ plural: 'projects' }), 'widget: the plural projects is already that of project.'],
  [widget({ table: 'users' }), 'widget: the table users is already that of user.'],
  [widget({ table: 'Widgets' }), 'widget: the table Widgets is not in snake_case.'],
  [widget({ name: 'my_widget' }), 'my_widget: the name of a resource must be in camelCase.'],
  [
    widget({ title: 'WidgetPage' }),
    'widget: Pagination and names ending in Page, Command or Result are reserved for messages.',
  ],
  [withField('Colour', {}), 'widget.Colour: the name of a field must be in camelCase.'],
  [
    withField('createdAt', {}),
    'widget.createdAt: every record or message already has a property with this name.',
  ],
  [
    withField('colour', { number: 12 }),
    'widget.colour: the number 12 belongs to updatedAt in every message.',
  ],
  [
    withField('colour', { number: 1000 }),
    'widget.colour: the number 1000 belongs to updateMask in every message.',
  ],
  [withField('colour', { number: 2 }), 'widget.colour: the number 2 is already that of widget.name.'],
  [withField('colour', { number: 0 }), 'widget.colour: the number 0 is not a valid field number.'],
  [withField('colour', { number: 19_500 }), 'widget.colour: the number 19500 is not a valid field number.'],
  [
    withField('colour', { deprecation: { since: '2027-01-31', until: '2027-02-28', instead: 'Use tint.' } }),
    'widget.colour: a deprecation since 2027-01-31 must last 180 days, so it cannot end on 2027-02-28.',
  ],
  [
    withField('colour', { deprecation: { since: 'soon', until: '2028-02-28', instead: 'Use tint.' } }),
    'widget.colour: a deprecation has two dates, such as 2027-01-31, not soon and 2028-02-28.',
  ],
  [
    withField('colour', { deprecation: { since: '2027-01-31', until: '2028-02-28', instead: ' ' } }),
    'widget.colour: a deprecation says what to use instead.',
  ],
  [
    widget({ retired: { 4: 'size' } }),
    'widget.dueDate: the number 4 belonged to size, which is retired. Use a new one.',
  ],
  [
    widget({ retired: { 9: 'dueDate' } }),
    'widget.dueDate: a retired field had this name with another number. Use a new name.',
  ],
  [withReference('gadget', 'keep'), 'widget.otherId refers to gadget, but no resource has that name.'],
  [
    withReference('widget', 'keep'),
    "widget.otherId refers to its own resource, so it must be optional and 'keep'.",
  ],
  [
    withReference('user', 'restrict'),
    'widget.otherId would block v1 from removing users: use cascade or keep.',
  ],
  [
    widget({
      fields: {
        projectId: references(2, uuid, 'project', 'cascade'),
        userId: references(3, uuid, 'user', 'cascade'),
        workflowId: references(4, uuid, 'workflow', 'cascade'),
      },
      filters: [],
    }),
    'widget: at most two cascade references, not projectId, userId, workflowId.',
  ],
  [
    withField('password', secret(required(5, text({ max: 9 })))),
    'widget.password is secret, but no hook "prepare" converts it for storage.',
  ],
  [
    withField('ownerId', { wire: 'uuid', isCallerDefault: true }),
    'widget.ownerId is the caller by default, which only an ext reference to a user can be.',
  ],
  [
    withField('expectedVersion', updateOnly(5, timestamp)),
    'widget.expectedVersion is read on update only, but no hook "updateConditions" uses it.',
  ],
  [
    withField('size', byServer(5, text({ max: 9 }))),
    'widget.size is set by the server, but the create operation of the declaration would not set it: use withoutCreate.',
  ],
  [widget({ filters: ['gadgetId'] }), 'widget: the filter gadgetId has no column.'],
  [widget({ filters: ['name'] }), 'widget: the filter name is not a reference.'],
  [widget({ filters: ['projectId', 'projectId'] }), 'widget: the filter projectId is declared twice.'],
  [
    { ...withReference('impediment', 'keep'), filters: ['otherId'] },
    'widget: the filter otherId has no number in src/resources/define-resource.ts; give it the next.',
  ],
  [
    widget({ filters: [{ instant: 'name' }] }),
    'widget: the filter by dates needs a required timestamp, and name is not one.',
  ],
  [
    widget({ filters: [{ period: ['dueDate', 'endDate'] }] }),
    'widget: the filter by dates needs a required timestamp, and endDate is not one.',
  ],
  [
    widget({ filters: [{ instant: 'dueDate' }, { instant: 'dueDate' }] }),
    'widget: two filters by dates cannot share dateFrom and dateTo.',
  ],
  [
    widget({ access: { kind: 'projectMembers', projectPath: ['id'] } }),
    'widget: the access path id does not lead to a project.',
  ],
  [
    widget({ access: { kind: 'projectMembers', projectPath: ['assignmentId', 'projectId'] } }),
    'widget: the access path assignmentId, projectId does not lead to a project.',
  ],
  [
    widget({ access: { ...membersOfProject, ownerColumn: 'userId' } }),
    "widget: the owner's column userId does not refer to a user.",
  ],
  [
    widget({ access: catalog, projectRules: { rowsMax } }),
    'widget has rules of a project, but its rows belong to none.',
  ],
  [
    widget({ projectRules: { rowsMax: { ...rowsMax, per: 'name' } } }),
    'widget: the limit of rows per name needs a reference.',
  ],
  [
    widget({ access: accessByAssignment, projectRules: { rowsMax }, fields: { assignmentId } }),
    'widget has rules of a project that it does not name.',
  ],
  [
    widget({ projectRules: { rowsMax, sameProject: ['projectId'] } }),
    'widget.projectId does not refer to rows that name their project.',
  ],
]

describe('A declaration that cannot work', () => {
  for (const [resource, expectedProblem] of mistakes)
    test(`stops the program: ${expectedProblem}`, () => {
      const problems = declarationProblems([...resources, resource])
      assert.ok(problems.includes(expectedProblem), problems.join('\n'))
      assert.throws(
        () => checkDeclarations([...resources, resource]),
        ({ message }: Error) => message.includes(expectedProblem),
      )
    })

  test('is reported if v1 refers to a resource of the extensions', () => {
    const gadget = defineResource({
      name: 'gadget',
      edition: 'v1',
      table: 'gadgets',
      fields: { widgetId: references(2, uuid, 'widget', 'keep') },
      access: catalog,
    })
    assert.deepEqual(declarationProblems([...resources, widget(), gadget]), [
      'gadget.widgetId refers to widget: v1 cannot depend on a resource that EXTENSIONS=off disables.',
    ])
  })

  test('is reported if it comes before its parent', () => {
    assert.ok(
      declarationProblems(resources.toReversed()).includes(
        'project.organizationId refers to organization, which must come before project in src/resources/all.ts.',
      ),
    )
  })
})

test('A valid declaration is accepted', () => {
  assert.deepEqual(declarationProblems([...resources, widget()]), [])
})
