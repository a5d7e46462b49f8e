import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { catalog, membersOfProject } from '../model/access-rule.ts'
import { type Field, references, required, secret, updateOnly } from '../model/field.ts'
import { moment, text, uuid } from '../model/field-kinds.ts'
import { resources } from './all.ts'
import { checkDeclarations, declarationProblems } from './check-declarations.ts'
import { defineResource, type Resource } from './define-resource.ts'

/** A valid resource of the extensions, and the same resource with one `mistake`: the compiler would reject most of them. */
const widget = (mistake: object = {}): Resource => ({
  ...defineResource({
    name: 'widget',
    edition: 'ext',
    table: 'widgets',
    fields: {
      name: required(2, text({ max: 200 })),
      projectId: references(3, uuid, 'project', 'removeAlong'),
      dueDate: required(4, moment),
    },
    access: membersOfProject,
    filters: ['projectId', { moment: 'dueDate' }],
  }),
  ...mistake,
})

const withField = (name: string, field: object): Resource =>
  widget({ fields: { ...widget().fields, [name]: { ...required(5, text({ max: 9 })), ...field } as Field } })

const withReference = (resource: string, whenRemoved: string): Resource =>
  withField('otherId', { wire: 'uuid', references: { resource, whenRemoved } })

const mistakes: readonly (readonly [Resource, string])[] = [
  [widget({ name: 'project' }), 'project: the name project is that of project.'],
  [widget({ plural: 'projects' }), 'widget: the plural projects is that of project.'],
  [widget({ table: 'users' }), 'widget: the table users is that of user.'],
  [widget({ table: 'Widgets' }), 'widget: the table Widgets is not in snake_case.'],
  [widget({ name: 'my_widget' }), 'my_widget: the name of a resource is camelCase.'],
  [
    widget({ title: 'WidgetPage' }),
    'widget: no resource is called Pagination or ends in Page, Command or Result; messages are.',
  ],
  [withField('Colour', {}), 'widget.Colour: the name of a field is camelCase.'],
  [
    withField('createdAt', {}),
    'widget.createdAt: every record or message has something of this name already.',
  ],
  [
    withField('colour', { number: 12 }),
    'widget.colour: the number 12 is that of updatedAt in every message.',
  ],
  [withField('colour', { number: 2 }), 'widget.colour: the number 2 is that of widget.name.'],
  [withField('colour', { number: 0 }), 'widget.colour: the number 0 is none that a message can have.'],
  [
    withField('colour', { number: 19_500 }),
    'widget.colour: the number 19500 is none that a message can have.',
  ],
  [
    withField('colour', { deprecation: { since: '2027-01-31', until: '2027-02-28', instead: 'Use tint.' } }),
    'widget.colour: what is deprecated since 2027-01-31 works for 180 days more, and 2027-02-28 is too early.',
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
    'widget.dueDate: the number 4 was that of size, which is retired: take a new one.',
  ],
  [
    widget({ retired: { 9: 'dueDate' } }),
    'widget.dueDate: a retired field had this name, and its number was another: take a new name.',
  ],
  [withReference('gadget', 'stay'), 'widget.otherId refers to gadget, and no resource has that name.'],
  [
    withReference('widget', 'stay'),
    'widget.otherId refers to widget, which has to stand before widget in the list of all.',
  ],
  [
    withReference('user', 'blockRemoval'),
    'widget.otherId would make v1 refuse to remove users: its rows go along, or stay.',
  ],
  [
    widget({
      fields: {
        projectId: references(2, uuid, 'project', 'removeAlong'),
        userId: references(3, uuid, 'user', 'removeAlong'),
        workflowId: references(4, uuid, 'workflow', 'removeAlong'),
      },
      filters: [],
    }),
    'widget: at most two parents take a row along, not projectId, userId, workflowId.',
  ],
  [
    withField('password', secret(required(5, text({ max: 9 })))),
    'widget.password is secret, and no rule "prepare" turns it into what may be stored.',
  ],
  [
    withField('ownerId', { wire: 'uuid', isCallerByDefault: true }),
    'widget.ownerId is the caller by default: only a reference of the extensions to a user can be.',
  ],
  [
    withField('expectedVersion', updateOnly(5, moment)),
    'widget.expectedVersion is read on update only, and no rule "updateConditions" looks at it.',
  ],
  [widget({ filters: ['gadgetId'] }), 'widget: the filter gadgetId has no column.'],
  [widget({ filters: ['name'] }), 'widget: the filter name is no reference to another row.'],
  [widget({ filters: ['projectId', 'projectId'] }), 'widget: the filter projectId is declared twice.'],
  [
    { ...withReference('impediment', 'stay'), filters: ['otherId'] },
    'widget: the filter otherId has no number in src/resources/list-keys.ts; give it the next.',
  ],
  [
    widget({ filters: [{ moment: 'name' }] }),
    'widget: the filter by dates needs a required moment, and name is none.',
  ],
  [
    widget({ filters: [{ period: ['dueDate', 'endDate'] }] }),
    'widget: the filter by dates needs a required moment, and endDate is none.',
  ],
  [
    widget({ filters: [{ moment: 'dueDate' }, { moment: 'dueDate' }] }),
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
]

describe('A declaration that cannot work', () => {
  for (const [mistaken, sentence] of mistakes)
    test(`stops the program: ${sentence}`, () => {
      const problems = declarationProblems([...resources, mistaken])
      assert.ok(problems.includes(sentence), problems.join('\n'))
      assert.throws(
        () => checkDeclarations([...resources, mistaken]),
        ({ message }: Error) => message.includes(sentence),
      )
    })

  test('of v1 cannot refer to what only the extensions have', () => {
    const gadget = defineResource({
      name: 'gadget',
      edition: 'v1',
      table: 'gadgets',
      fields: { widgetId: references(2, uuid, 'widget', 'stay') },
      access: catalog,
    })
    assert.deepEqual(declarationProblems([...resources, widget(), gadget]), [
      'gadget.widgetId refers to widget: v1 cannot depend on what EXTENSIONS=off takes away.',
    ])
  })

  test('that stands before its parent is told so', () => {
    assert.ok(
      declarationProblems(resources.toReversed()).includes(
        'project.organizationId refers to organization, which has to stand before project in the list of all.',
      ),
    )
  })
})

test('A declaration in order is accepted', () => {
  assert.deepEqual(declarationProblems([...resources, widget()]), [])
})
