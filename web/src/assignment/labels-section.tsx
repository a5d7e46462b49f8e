import { useState } from 'preact/hooks'
import { limits } from '#tracker-client'
import type { Api, RecordOf } from '../api/api.ts'
import { sentenceOf } from '../api/problems.ts'
import type { Label } from '../data/project-links.ts'
import { type Services, useRemoval, useServices } from '../services/services.ts'
import { locale, t } from '../texts/text.ts'
import { Combobox, type Option } from '../ui/combobox.tsx'
import { Icon, IconButton } from '../ui/icon.tsx'
import { lazyDialog } from '../ui/lazy.tsx'
import { LabelChip, type LabelColor, labelColors } from './labels.tsx'
import { Adder, type PanelData, PanelSection } from './panel-section.tsx'

interface LabelsSectionProps extends Pick<PanelData, 'labels' | 'labelLinks'> {
  readonly assignment: RecordOf<'assignment'>
}

const LabelsDialog = lazyDialog(async () => (await import('./labels-dialog.tsx')).LabelsDialog)

/** The id of the suggestion that creates a label with the typed name. */
const newId = 'new'

/** Shows the labels of an assignment, and adds, creates and removes them. */
export function LabelsSection({ assignment, labels, labelLinks }: LabelsSectionProps) {
  const { projectId } = assignment
  const { api } = useServices()
  const remove = useRemoval()
  const [problem, setProblem] = useState<string>()
  const [isManaging, setManaging] = useState(false)
  const linkIds = new Map(labelLinks.rows.map(({ id, labelId }) => [labelId, id]))
  const add = async (option: Option) => {
    setProblem(undefined)
    try {
      await addLabel(api, assignment, option, labels.rows)
    } catch (error) {
      setProblem(sentenceOf(error))
    }
  }
  return (
    <PanelSection name="labels" title={t('Labels')} isEmpty={linkIds.size === 0} isField>
      <span class="labels">
        {labels.rows.map((label) => {
          const linkId = linkIds.get(label.id)
          return linkId === undefined ? null : (
            <LabelChip key={label.id} label={label}>
              <button
                type="button"
                class="label-remove"
                aria-label={t('Remove the label {name}', { name: label.name })}
                onClick={() => void remove('assignmentLabel', linkId, label.name)}
              >
                <Icon name="close" />
              </button>
            </LabelChip>
          )
        })}
      </span>
      <Adder>
        <Combobox
          label={t('Add a label')}
          placeholder={t('Add a label…')}
          valueText=""
          find={async (text) => suggestLabels(text, labels.rows, linkIds)}
          onChoose={(option) => void add(option)}
        />
      </Adder>
      <IconButton icon="edit" label={t('Labels of the project…')} run={() => setManaging(true)} />
      {problem && (
        <p class="field-errors" role="alert">
          {problem}
        </p>
      )}
      {isManaging && <LabelsDialog projectId={projectId} onClose={() => setManaging(false)} />}
    </PanelSection>
  )
}

type Target = Pick<RecordOf<'assignment'>, 'id' | 'name' | 'projectId'>

/** Returns the id of a suggested label. If the label is new, it is created first. */
export const labelIdOf = async (
  api: Api,
  projectId: string,
  { id, name }: Option,
  labels: readonly Label[],
): Promise<string> =>
  id === newId ? (await api.create('label', { projectId, name, color: nextColor(labels) })).id : id

const addLabel = async (
  api: Api,
  { id: assignmentId, projectId }: Target,
  option: Option,
  labels: readonly Label[],
): Promise<RecordOf<'assignmentLabel'>> =>
  api.create('assignmentLabel', {
    assignmentId,
    labelId: await labelIdOf(api, projectId, option, labels),
  })

/**
 * Turns options of labels into commands that add the label, or remove it if the assignment has it. Both offer
 * Undo. `linkIds` maps the labels of the assignment to the links between the two.
 */
export function labelChoices<Choice extends Option>(
  { api, toasts }: Pick<Services, 'api' | 'toasts'>,
  target: Target,
  options: readonly Choice[],
  labels: readonly Label[],
  linkIds: ReadonlyMap<string, string>,
) {
  const report = (error: unknown) => toasts.show({ kind: 'problem', text: sentenceOf(error) })
  const run = (operation: 'remove' | 'restore', id: string) => () => api[operation]('assignmentLabel', [id])
  const toggle = async (option: Option) => {
    const linkId = linkIds.get(option.id)
    const values = { label: option.name, name: target.name }
    if (linkId === undefined) {
      const { id } = await addLabel(api, target, option, labels)
      const text = t('{label} was added to {name}.', values)
      toasts.show({ kind: 'done', text, undo: run('remove', id), redo: run('restore', id) })
      return
    }
    const remove = run('remove', linkId)
    await remove()
    const text = t('{label} was removed from {name}.', values)
    toasts.show({ kind: 'done', text, undo: run('restore', linkId), redo: remove })
  }
  return options.map((option) => ({
    ...option,
    isCurrent: linkIds.has(option.id),
    run: () => void toggle(option).catch(report),
  }))
}

/**
 * Suggests labels whose names contain the text, except labels in `presentIds`. Also suggests a new label if
 * no label has this name.
 */
export function suggestLabels(
  text: string,
  labels: readonly Label[],
  presentIds: { has(labelId: string): boolean } = new Set(),
): readonly Option[] {
  const name = inLowerCase(text.trim().slice(0, limits.labelName))
  const found = labels.filter((label) => !presentIds.has(label.id) && inLowerCase(label.name).includes(name))
  return [...found.map(optionOfLabel), ...suggestNewLabel(text, labels)]
}

export const optionOfLabel = (label: Label): Option => ({
  id: label.id,
  name: label.name,
  ...(label.description && { note: label.description }),
  mark: <span class="label-dot" data-color={label.color} />,
})

/** Suggests a new label with the text as its name, unless a label has this name. */
export function suggestNewLabel(text: string, labels: readonly Label[]): readonly Option[] {
  const name = text.trim().slice(0, limits.labelName)
  const isTaken = labels.some((label) => inLowerCase(label.name) === inLowerCase(name))
  return name === '' || isTaken ? [] : [{ id: newId, name, note: t('New label'), mark: <Icon name="plus" /> }]
}

const inLowerCase = (name: string): string => name.toLocaleLowerCase(locale())

/** Returns the color that the fewest labels have. */
function nextColor(labels: readonly Pick<Label, 'color'>[]): LabelColor {
  const count = (color: LabelColor) => labels.filter((label) => label.color === color).length
  return (Object.keys(labelColors) as LabelColor[]).reduce((best, color) =>
    count(color) < count(best) ? color : best,
  )
}

/**
 * Adds labels to an assignment that was just created. An error is only reported, because the assignment
 * exists already.
 */
export const addLabels = (
  { api, toasts }: Pick<Services, 'api' | 'toasts'>,
  assignmentId: string,
  labelIds: readonly string[],
): Promise<unknown> =>
  Promise.all(labelIds.map((labelId) => api.create('assignmentLabel', { assignmentId, labelId }))).catch(
    (error) => toasts.show({ kind: 'problem', text: sentenceOf(error) }),
  )
