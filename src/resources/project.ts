import type { Condition } from '../db/conditional-write.ts'
import { isOtherVersion, newId, type RelatedRow, type Values } from '../db/rows.ts'
import { raw, sql } from '../db/sql.ts'
import { membersOfProject } from '../model/access-rule.ts'
import type { Caller } from '../model/caller.ts'
import {
  extension,
  generated,
  optional,
  references,
  required,
  requiredOnCreate,
  updateOnly,
  withDefault,
} from '../model/field.ts'
import { boolean, color, integer, projectKey, text, timestamp, uuid } from '../model/field-kinds.ts'
import { duplicate, stale } from '../model/problem.ts'
import { descriptionCharactersMax, nameCharactersMax } from '../model/text.ts'
import { defineResource } from './define-resource.ts'

/** The creator of a project becomes its first member. Otherwise they could not see it. */
const membershipOfCreator = (caller: Caller, id: string): RelatedRow[] => [
  { table: userProject, values: { id: newId(), userId: caller.id, projectId: id } },
]

/** The version is the timestamp of the last change. Without `expectedVersion` the last write wins. */
const sameVersion = ({ expectedVersion }: Values): Condition[] =>
  expectedVersion !== undefined
    ? [
        {
          rejectIf: isOtherVersion(expectedVersion),
          problem: () => stale('Project'),
        },
      ]
    : []

export const project = defineResource({
  name: 'project',
  edition: 'v1',
  table: 'projects',
  about: 'A project of an organization. Only its members see what belongs to it.',
  fields: {
    name: required(2, text({ max: nameCharactersMax }), {
      about: 'The name.',
      example: 'Moon landing',
    }),
    organizationId: references(3, uuid, 'organization', 'restrict', {
      about: 'The organization that the project is for.',
    }),
    description: extension(
      optional(16, text({ max: descriptionCharactersMax }), { about: 'The description, in Markdown.' }),
    ),
    isArchived: extension(
      withDefault(
        requiredOnCreate(17, boolean, { about: 'Whether clients hide it where work is planned.' }),
        false,
      ),
    ),
    key: extension(
      generated(
        requiredOnCreate(18, projectKey, {
          about:
            'The first part of the keys of its assignments, such as MBA in MBA-12. It is unique among all projects, removed ones included, and derived from the name if it is left out.',
          example: 'MBA',
        }),
      ),
    ),
    color: extension(
      optional(19, color, {
        about: 'The color. If null, clients derive one from the id.',
        example: 'teal',
      }),
    ),
    expectedVersion: updateOnly(15, timestamp, {
      about:
        'updatedAt of the version that was read, or its createdAt if that is null. If the project has changed since, the update fails: 409 over REST, `success: false` over commands.',
    }),
  },
  access: { kind: 'projectMembers', projectPath: ['id'], anyoneMayCreate: true },
  filters: ['organizationId'],
  unique: {
    index: 'projects_key',
    problem: () => duplicate('key', 'Key is already used by another project.'),
    former: {
      field: 'key',
      isTaken: (key, owner) => sql`exists (select from former_project_keys as former
        where former.key = ${key} and former.project_id is distinct from ${owner ?? raw('null')})`,
    },
  },
  hooks: { relatedRows: membershipOfCreator, updateConditions: sameVersion },
})

export const userProject = defineResource({
  name: 'userProject',
  edition: 'v1',
  table: 'user_projects',
  about: 'A membership: the account sees the project and works in it.',
  fields: {
    userId: references(2, uuid, 'user', 'cascade'),
    projectId: references(3, uuid, 'project', 'cascade'),
  },
  access: membersOfProject,
  filters: ['projectId', 'userId'],
})

/** Clients read the stages of a project in one page. */
const stagesOfProjectMax = 100

/**
 * A stage that a project uses. A project without such rows uses all stages. v1 accepts every stage for an
 * assignment, so clients also show an unused stage while assignments are in it.
 */
export const projectStage = defineResource({
  name: 'projectStage',
  edition: 'ext',
  table: 'project_stages',
  about:
    'A stage that a project uses, with its place and color there. A project without any uses all stages.',
  fields: {
    projectId: references(2, uuid, 'project', 'cascade'),
    workflowId: references(3, uuid, 'workflow', 'cascade', { about: 'The stage.' }),
    order: required(4, integer({ min: 0, max: 2_147_483_647 }), {
      about: 'The position among the stages of the project, in ascending order.',
      example: 2,
    }),
    color: optional(5, color, {
      about: 'The color in this project. If null, the color of the stage applies.',
      example: 'green',
    }),
  },
  access: membersOfProject,
  filters: ['projectId', 'workflowId'],
  unique: {
    index: 'project_stages_active',
    problem: () => duplicate('workflowId', 'The project already uses this stage.'),
  },
  projectRules: {
    rowsMax: {
      per: 'projectId',
      max: stagesOfProjectMax,
      message: `A project may use at most ${stagesOfProjectMax} stages.`,
    },
  },
})
