import type { ComponentChildren, TargetedKeyboardEvent } from 'preact'
import { useId } from 'preact/hooks'
import { limits } from '#tracker-client'
import type { RecordOf } from '../api/api.ts'
import { sentenceOf } from '../api/problems.ts'
import { responsibleOf } from '../data/assignments.ts'
import { choosableStages, type ProjectStage, stageLooksOf } from '../data/project-stages.ts'
import { catalogQuery, useListing } from '../data/use-listing.ts'
import { useMembers } from '../data/use-members.ts'
import { useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { formatLongDay } from '../time/days.ts'
import { DayInput } from '../ui/day-input.tsx'
import { Icon } from '../ui/icon.tsx'
import { PriorityShape, StageMark, TypeShape } from '../ui/marks.tsx'
import { PersonAvatar, PersonPicker } from '../ui/people.tsx'
import { doneStagesOf } from './assignment-values.ts'
import { parsePriority, priorityChoices } from './priority.ts'
import { type EditableName, type InPlaceEdit, useFieldEdit } from './use-in-place-edit.ts'

type Assignment = RecordOf<'assignment'>

export interface InPlaceProps {
  readonly assignment: Assignment
  onSaved(row: Assignment): void
}

interface NamedFieldProps extends InPlaceProps {
  readonly name: EditableName
  readonly label: string
}

/** Saves on Enter, and restores the stored value on Escape. */
const handleKeys = (edit: InPlaceEdit) => (event: TargetedKeyboardEvent<HTMLElement>) => {
  if (event.key === 'Enter') void edit.commit()
  else if (event.key === 'Escape' && edit.isChanged) {
    event.preventDefault()
    edit.revert()
  }
}

/** Edits the name on as many lines as it needs. Names have no line breaks, so line breaks become spaces. */
export function NameInPlace({ assignment, onSaved }: InPlaceProps) {
  const edit = useFieldEdit(assignment, 'name', onSaved)
  return (
    <InPlaceField label={t('Name')} edit={edit} isLabelHidden>
      {(attributes) => (
        // CSS repeats the text in the box, so that the box and the textarea are as high as the text.
        <span class="panel-name-box" data-text={edit.text}>
          <textarea
            {...attributes}
            class="input panel-name"
            dir="auto"
            rows={1}
            maxLength={limits.name}
            autocomplete="off"
            name="name"
            value={edit.text}
            onInput={(event) => edit.type(event.currentTarget.value.replace(/\s*\n\s*/g, ' '))}
            onBlur={() => void edit.commit()}
            onKeyDown={(event) => {
              if (event.key === 'Enter') event.preventDefault()
              handleKeys(edit)(event)
            }}
          />
        </span>
      )}
    </InPlaceField>
  )
}

export function HoursInPlace({ assignment, onSaved }: InPlaceProps) {
  const edit = useFieldEdit(assignment, 'amountHours', onSaved)
  return (
    <InPlaceField label={t('Planned hours')} edit={edit}>
      {(attributes) => (
        <MarkedValue mark={<Icon name="hourglass" />}>
          <input
            {...attributes}
            class="input"
            inputMode="decimal"
            autocomplete="off"
            name="amountHours"
            value={edit.text}
            onInput={(event) => edit.type(event.currentTarget.value)}
            onBlur={() => void edit.commit()}
            onKeyDown={handleKeys(edit)}
          />
          {isNumber(edit.text) && (
            // CSS repeats the text before the unit, so that the unit stands behind it.
            <span class="fact-unit" data-text={edit.text} aria-hidden="true">
              {t('{hours} h', { hours: '' }).trim()}
            </span>
          )}
        </MarkedValue>
      )}
    </InPlaceField>
  )
}

const isNumber = (text: string): boolean => /^[\d.,]+$/.test(text)

interface ChoiceInPlaceProps extends NamedFieldProps {
  readonly choices: readonly { readonly id: string; readonly name: string }[]
  /** Draws the mark before the name of a choice. */
  markOf?(id: string): ComponentChildren
}

function ChoiceInPlace({ assignment, name, label, choices, markOf, onSaved }: ChoiceInPlaceProps) {
  const nameOf = (id: string) => choices.find((choice) => choice.id === id)?.name ?? '…'
  const edit = useFieldEdit(assignment, name, onSaved, nameOf)
  return (
    <InPlaceField label={label} edit={edit} format={nameOf}>
      {(attributes) => (
        <MarkedValue mark={markOf?.(edit.text)}>
          <select
            {...attributes}
            class="input"
            value={edit.text}
            onChange={(event) => void edit.commit(event.currentTarget.value)}
          >
            {!choices.some(({ id }) => id === edit.text) && <option value={edit.text}>…</option>}
            {choices.map((choice) => (
              <option key={choice.id} value={choice.id}>
                {markOf?.(choice.id)}
                {choice.name}
              </option>
            ))}
          </select>
        </MarkedValue>
      )}
    </InPlaceField>
  )
}

interface MarkedValueProps {
  readonly mark: ComponentChildren
  readonly children: ComponentChildren
}

/** Shows a field after the mark of its value. Cards have the same mark. */
const MarkedValue = ({ mark, children }: MarkedValueProps) => (
  <div class="fact-value">
    <span class="fact-mark">{mark}</span>
    {children}
  </div>
)

/**
 * An assignment has both dates or neither, so clearing one day removes both. The texts therefore say "dates".
 */
export function DayInPlace({ assignment, name, label, onSaved }: NamedFieldProps) {
  const isOptional = useServices().configuration.extensions
  const edit = useFieldEdit(assignment, name, onSaved)
  return (
    <InPlaceField
      label={label}
      edit={edit}
      format={(day) => (day === '' ? t('No dates') : formatLongDay(day))}
    >
      {(attributes) => (
        <MarkedValue mark={<Icon name={name === 'startDate' ? 'start' : 'end'} />}>
          <DayInput
            attributes={attributes}
            label={label}
            placeholder={isOptional ? t('No dates – add') : undefined}
            clearLabel={isOptional ? t('No dates') : undefined}
            buttonIcon="down"
            value={edit.text}
            onChange={(day) => void edit.commit(day)}
          />
        </MarkedValue>
      )}
    </InPlaceField>
  )
}

export function PersonInPlace({ assignment, onSaved }: InPlaceProps) {
  const { people } = useServices()
  const edit = useFieldEdit(assignment, 'userId', onSaved)
  const label = t('Responsible')
  return (
    <div>
      <InPlaceField
        label={label}
        edit={edit}
        format={(id) => (id === '' ? t('Unassigned') : people.nameOf(id))}
      >
        {({ id, ...attributes }) => (
          <MarkedValue mark={<PersonAvatar id={edit.text} isDecorative />}>
            <PersonPicker
              id={id}
              attributes={attributes}
              label={label}
              projectId={assignment.projectId}
              placeholder={edit.text === '' ? t('Unassigned – assign') : people.nameOf(edit.text)}
              offersUnassigned
              value={edit.text}
              onChoose={(userId) => void edit.commit(userId)}
            />
          </MarkedValue>
        )}
      </InPlaceField>
      <NonMemberNote projectId={assignment.projectId} userId={responsibleOf(assignment)} />
    </div>
  )
}

/** Warns that the responsible person is not a member, and therefore cannot see the assignment. */
export function NonMemberNote({
  projectId,
  userId,
}: {
  readonly projectId: string
  readonly userId: string
}) {
  const { api, people, toasts } = useServices()
  const members = useMembers(projectId)
  if (userId === '' || members.isLoading || members.problem || members.ids.includes(userId)) return null
  const name = people.nameOf(userId)
  const add = () =>
    api.create('userProject', { projectId, userId }).then(
      () => toasts.show({ kind: 'done', text: t('{name} is now a member of the project.', { name }) }),
      (error) => toasts.show({ kind: 'problem', text: sentenceOf(error) }),
    )
  return (
    <p class="form-note" role="status">
      {t('{name} is not a member of this project and cannot see it.', { name })}{' '}
      <button type="button" class="link-button" onClick={() => void add()}>
        {t('Add to the project')}
      </button>
    </p>
  )
}

interface StageInPlaceProps extends InPlaceProps {
  readonly stages: readonly ProjectStage[]
}

export function StageInPlace({ stages, ...props }: StageInPlaceProps) {
  const { assignment } = props
  const looks = stageLooksOf(stages, doneStagesOf(assignment.projectId, stages))
  return (
    <ChoiceInPlace
      {...props}
      name="workflowId"
      label={t('Stage')}
      choices={choosableStages(stages, assignment.workflowId)}
      markOf={(id) => {
        const look = looks.get(id)
        return look && <StageMark {...look} />
      }}
    />
  )
}

export function TypeInPlace(props: InPlaceProps) {
  const { rows } = useListing('assignmentType', catalogQuery)
  return (
    <ChoiceInPlace
      {...props}
      name="assignmentTypeId"
      label={t('Type')}
      choices={rows}
      markOf={(id) => {
        const type = rows.find((row) => row.id === id)
        return type && <TypeShape name={type.name} />
      }}
    />
  )
}

export const PriorityInPlace = (props: InPlaceProps) => (
  <ChoiceInPlace
    {...props}
    name="priority"
    label={t('Priority')}
    choices={priorityChoices()}
    markOf={(text) => <PriorityShape priority={parsePriority(text) ?? 0} />}
  />
)

interface AssignmentFieldsProps extends StageInPlaceProps {
  readonly labels: ComponentChildren
  /** Further fields. */
  readonly children?: ComponentChildren
}

/** Edits all fields except the name and the description. Fields that change often come first. */
export function AssignmentFieldsInPlace({ stages, labels, children, ...props }: AssignmentFieldsProps) {
  const { configuration } = useServices()
  return (
    <div class="panel-facts">
      <StageInPlace {...props} stages={stages} />
      {configuration.extensions && <PriorityInPlace {...props} />}
      <PersonInPlace {...props} />
      {labels}
      <TypeInPlace {...props} />
      <DayInPlace {...props} name="startDate" label={t('Start')} />
      <DayInPlace {...props} name="endDate" label={t('End')} />
      <HoursInPlace {...props} />
      {children}
    </div>
  )
}

interface InPlaceFieldProps {
  readonly label: string
  readonly edit: InPlaceEdit
  /** Formats a value for display. */
  readonly format?: (text: string) => string
  readonly isLabelHidden?: boolean
  /** True for a field with its own buttons. */
  readonly hasButtons?: boolean
  readonly children: (attributes: {
    readonly id: string
    readonly 'aria-invalid'?: 'true'
    readonly 'aria-describedby'?: string
  }) => ComponentChildren
}

/**
 * A field that saves automatically. It shows why a text is not saved, with a button that discards the text,
 * and a value that another user has saved in the meantime.
 */
export function InPlaceField({
  label,
  edit,
  format = (text) => text,
  isLabelHidden = false,
  hasButtons = false,
  children,
}: InPlaceFieldProps) {
  const id = useId()
  const { problem, theirs } = edit
  return (
    <div class="field in-place">
      <label for={id} class={isLabelHidden ? 'visually-hidden' : ''}>
        {label}
      </label>
      {children({ id, ...(problem && { 'aria-invalid': 'true', 'aria-describedby': `${id}-problem` }) })}
      {problem && (
        <p class="field-errors" role="alert">
          <span id={`${id}-problem`}>{problem}</span>{' '}
          {!hasButtons && (
            <button
              type="button"
              class="link-button"
              aria-describedby={`${id}-problem`}
              onClick={() => {
                edit.revert()
                document.getElementById(id)?.focus()
              }}
            >
              {t('Discard')}
            </button>
          )}
        </p>
      )}
      {theirs !== undefined && <Conflict label={label} edit={edit} format={format} />}
    </div>
  )
}

type ConflictProps = Pick<InPlaceFieldProps, 'label' | 'edit'> & { readonly format: (text: string) => string }

const Conflict = ({ label, edit, format }: ConflictProps) => (
  <div class="conflict" role="alert">
    <p>{t('Someone else has changed this in the meantime.')}</p>
    <dl class="facts">
      <dt>{t('Theirs')}</dt>
      <dd dir="auto">{format(edit.theirs ?? '')}</dd>
      <dt>{t('Yours')}</dt>
      <dd dir="auto">{format(edit.text)}</dd>
    </dl>
    <span class="conflict-buttons">
      <button
        type="button"
        class="button"
        aria-label={t('Keep theirs: {label}', { label })}
        onClick={edit.revert}
      >
        {t('Keep theirs')}
      </button>
      <button
        type="button"
        class="button"
        aria-label={t('Save mine: {label}', { label })}
        onClick={() => void edit.saveMine()}
      >
        {t('Save mine')}
      </button>
    </span>
  </div>
)
