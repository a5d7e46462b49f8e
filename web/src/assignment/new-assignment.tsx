import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { RecordOf } from '../api/api.ts'
import type { ProjectStage } from '../data/project-stages.ts'
import { catalogQuery, useListing } from '../data/use-listing.ts'
import { Field } from '../forms/field.tsx'
import { Form, useForm } from '../forms/form.tsx'
import { assignmentPath } from '../router/router.ts'
import { deleteDraft } from '../services/browser-storage.ts'
import { useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { Dialog } from '../ui/dialog.tsx'
import { DescriptionTextField } from '../ui/form-fields.tsx'
import { ProjectMark } from '../ui/page.tsx'
import {
  bodyOf,
  lastTypeOf,
  type NewAssignmentValues,
  newAssignmentDefaults,
  rememberType,
} from './assignment-values.ts'
import { NonMemberNote } from './in-place-fields.tsx'
import { addLabels } from './labels-section.tsx'
import { PropertyChips } from './new-assignment-chips.tsx'
import { QuickField, TokenChips, useTokens } from './quick-field.tsx'
import { type QuickText, type QuickToken, valuesOfTokens } from './quick-tokens.ts'

export interface NewAssignmentDialogProps {
  readonly scope: { readonly projectId: string; readonly stages: readonly ProjectStage[] }
  /** Replaces the name that a stored draft may contain. */
  readonly name?: string | undefined
  /** Values of the place where the dialog was opened, such as a day of the calendar or a group of a list. */
  readonly values?: Partial<NewAssignmentValues> | undefined
  onClose(): void
  onCreated?(assignment: RecordOf<'assignment'>): void
}

export function NewAssignmentDialog(props: NewAssignmentDialogProps) {
  const { scope, name, onClose } = props
  const { projectId, stages } = scope
  const [staysOpen, setStaysOpen] = useState(localStorage.getItem(staysOpenKey) === 'true')
  const tokens = useTokens(projectId)
  const { form, draft } = useNewAssignmentForm(props, tokens.parse)
  const field = useRef<HTMLInputElement>(null)
  const typed = form.values.value.name
  // Before anything is typed, only a draft can differ from a new form.
  const [isRestored, setRestored] = useState(() => form.isChanged.peek())
  // A layout effect runs before the next key press. The key belongs after the name.
  useLayoutEffect(() => {
    if (name !== undefined) form.set('name', name)
  }, [name])
  /** Keeps the properties, which the next assignment often shares. */
  const startAnother = () => {
    form.set('name', '')
    form.set('description', '')
    deleteDraft(draft)
    startTyping()
  }
  const startTyping = () => {
    tokens.reset()
    setRestored(false)
    field.current?.focus()
  }
  return (
    <Dialog title={t('New assignment')} aside={<ProjectName id={projectId} />} onClose={onClose}>
      <div class="new-record">
        {isRestored && (
          <p class="quiet-text">
            {t('You had begun this assignment.')}{' '}
            <button
              type="button"
              class="link-button"
              onClick={() => {
                form.discard()
                startTyping()
              }}
            >
              {t('Discard')}
            </button>
          </p>
        )}
        <Form
          form={form}
          submitLabel={t('Create assignment')}
          onCancel={onClose}
          onDone={staysOpen ? startAnother : onClose}
          aside={
            <label class="check-line">
              <input
                type="checkbox"
                checked={staysOpen}
                onChange={({ currentTarget: { checked } }) => {
                  localStorage.setItem(staysOpenKey, String(checked))
                  setStaysOpen(checked)
                }}
              />
              {t('Create another')}
            </label>
          }
        >
          <Field form={form} name="name" label={t('Name')} required autofocus isLabelHidden>
            {(attributes) => (
              <QuickField
                field={field}
                attributes={attributes}
                placeholder={t('Name of the assignment')}
                text={typed}
                vocabulary={tokens.vocabulary}
                onText={(text) => form.set('name', text)}
              />
            )}
          </Field>
          <TokenChips
            tokens={tokens.parse(typed).tokens}
            labels={tokens.vocabulary.labels}
            onKeep={tokens.keep}
          />
          <DescriptionTextField form={form} projectId={projectId} isLabelHidden />
          <PropertyChips form={form} projectId={projectId} stages={stages} />
          <NonMemberNote projectId={projectId} userId={form.values.value.userId} />
        </Form>
      </div>
    </Dialog>
  )
}

/** Names the project, which cannot be changed, after the title, so that nothing moves when the name arrives. */
function ProjectName({ id }: { readonly id: string }) {
  const [project] = useListing('project', { ids: id }).rows
  if (project === undefined) return null
  return (
    <span class="dialog-project">
      <ProjectMark project={project} />
      <span class="label-name" dir="auto">
        {project.name}
      </span>
    </span>
  )
}

/** The choice is stored per browser, for all projects. */
const staysOpenKey = 'tracker.create-another'

/** Returns the form. A draft keeps the typed values until they are sent or discarded. */
function useNewAssignmentForm(
  { scope, values: valuesOfPlace, onCreated }: NewAssignmentDialogProps,
  parse: (text: string) => QuickText,
) {
  const { projectId, stages } = scope
  const workflowId = stages[0]?.id ?? ''
  const services = useServices()
  const { api, configuration, router, session, toasts } = services
  const { extensions } = configuration
  const ownId = session.person.value?.id ?? ''
  const types = useListing('assignmentType', catalogQuery)
  // A new assignment starts without dates and without a person. Both are required if the extensions are off.
  const { startDate, endDate } = extensions ? noDates : newAssignmentDefaults(projectId, workflowId, '')
  const initial: NewAssignmentValues = {
    name: '',
    description: '',
    workflowId,
    assignmentTypeId: lastTypeOf(types.rows, projectId) ?? '',
    userId: extensions ? '' : ownId,
    startDate,
    endDate,
    amountHours: '0',
    priority: '',
    labelIds: '',
    ...valuesOfPlace,
  }
  const draft = `new-assignment-${projectId}-${workflowId}`
  const form = useForm({
    draft,
    initial,
    async submit(typed) {
      const { name, tokens } = parse(typed.name)
      const { labelIds, ...values } = applyTokens({ ...typed, name }, tokens)
      const assignment = await api.create('assignment', bodyOf(values, projectId, { extensions, ownId }))
      await addLabels(services, assignment.id, labelIds.split(' ').filter(Boolean))
      rememberType(assignment.assignmentTypeId, projectId)
      onCreated?.(assignment)
      toasts.show({
        kind: 'done',
        text: t('{name} was created.', { name: assignment.name }),
        action: { label: t('Open'), run: () => router.go(assignmentPath(projectId, assignment.id)) },
      })
    },
  })
  // The types may be loaded only after the dialog has opened.
  useEffect(() => form.follow(initial), [initial.assignmentTypeId])
  return { form, draft }
}

const noDates = { startDate: '', endDate: '' }

/** Replaces the values of a form by the values of the tokens. Labels are added. */
function applyTokens(values: NewAssignmentValues, tokens: readonly QuickToken[]): NewAssignmentValues {
  const { personId, endDay, priority, amountHours, labelIds } = valuesOfTokens(tokens)
  const { startDate } = values
  return {
    ...values,
    ...(personId !== undefined && { userId: personId }),
    ...(endDay !== '' && { endDate: endDay, startDate: startDate > endDay ? '' : startDate }),
    ...(priority !== undefined && { priority: String(priority) }),
    ...(amountHours !== undefined && { amountHours: String(amountHours) }),
    labelIds: [...new Set([...values.labelIds.split(' ').filter(Boolean), ...labelIds])].join(' '),
  }
}
