import type { RefObject } from 'preact'
import { useId, useRef, useState } from 'preact/hooks'
import { limits } from '#tracker-client'
import { Field, type FieldProps } from '../forms/fields.tsx'
import type { FormValues } from '../forms/use-form.ts'
import { t } from '../texts/text.ts'
import { Markdown } from './markdown.tsx'
import { MentionField, type MentionFieldProps } from './mention-field.tsx'
import { useLater } from './use-later.ts'

interface MarkdownFieldProps extends Omit<MentionFieldProps, 'field'> {
  readonly field?: RefObject<HTMLTextAreaElement | null>
}

/** A text area for Markdown with tools and a preview. Lists continue on Enter. */
export function MarkdownField({ field, id, onKeyDown, ...props }: MarkdownFieldProps) {
  const ownField = useRef<HTMLTextAreaElement>(null)
  const element = field ?? ownField
  const ownId = useId()
  const fieldId = id?.toString() ?? ownId
  const [isPreview, setPreview] = useState(false)
  // The field can be used without the tools until they are loaded.
  const tools = useLater(true, () => import('./markdown-tools.tsx'))
  return (
    <div class="markdown-field">
      {tools ? (
        <tools.MarkdownTools fieldId={fieldId} field={element} isPreview={isPreview} onPreview={setPreview} />
      ) : (
        <div class="markdown-tools" />
      )}
      <div hidden={isPreview}>
        <MentionField
          {...props}
          id={fieldId}
          field={element}
          onKeyDown={(event) => tools?.handleTextKey(event) || onKeyDown?.(event)}
        />
      </div>
      {isPreview && (
        <section class="markdown-preview" dir="auto" aria-label={t('Preview')}>
          {props.value.trim() === '' ? (
            <p class="quiet-text">{t('Nothing to show yet.')}</p>
          ) : (
            <Markdown text={props.value} />
          )}
        </section>
      )}
    </div>
  )
}

/** The description of a record in a form. */
export function DescriptionTextField<Values extends FormValues & { readonly description: string }>({
  projectId,
  ...props
}: Omit<FieldProps<Values>, 'name' | 'label'> & { readonly projectId?: string }) {
  const { form } = props
  return (
    <Field {...props} name="description" label={t('Description')}>
      {(attributes) => (
        <MarkdownField
          {...attributes}
          class="input"
          dir="auto"
          name="description"
          rows={3}
          placeholder={props.isLabelHidden ? t('Description') : undefined}
          projectId={projectId}
          maxLength={limits.description}
          value={form.values.value.description}
          onText={(text) => form.set('description', text)}
        />
      )}
    </Field>
  )
}
