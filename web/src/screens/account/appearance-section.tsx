import { chosenTheme, currentDensity, type Density, type Theme } from '../../services/appearance.ts'
import { useServices } from '../../services/services.ts'
import { changeSettings, chooseLanguage } from '../../services/settings.ts'
import { currentLanguage, languages } from '../../texts/language.ts'
import { t } from '../../texts/text.ts'

interface ChoiceProps {
  readonly name: string
  readonly label: string
  readonly value: string
  readonly choices: readonly { readonly id: string; readonly name: string; readonly lang?: string }[]
  /** Explains the choice, below its label. */
  readonly note?: string
  onChange(id: string): void
}

const Choice = ({ name, label, value, choices, note, onChange }: ChoiceProps) => (
  <div class="field">
    <label for={`appearance-${name}`}>{label}</label>
    {note && (
      <p class="field-hint" id={`appearance-${name}-note`}>
        {note}
      </p>
    )}
    <select
      id={`appearance-${name}`}
      aria-describedby={note && `appearance-${name}-note`}
      class="input"
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    >
      {choices.map((choice) => (
        <option key={choice.id} value={choice.id} lang={choice.lang}>
          {choice.name}
        </option>
      ))}
    </select>
  </div>
)

/** Lets the user choose language, theme and density, which are stored in the account for all devices. */
export function AppearanceSection() {
  const services = useServices()
  return (
    <section aria-labelledby="appearance-title">
      <h2 id="appearance-title">{t('Appearance')}</h2>
      <p class="form-note">{t('Each choice is saved at once, for all your devices.')}</p>
      <div class="setting-box">
        <Choice
          name="language"
          label={t('Language')}
          value={currentLanguage().id}
          choices={languages.map(({ id, name }) => ({ id, name, lang: id }))}
          note={t('Applies to texts, dates and numbers here, and to mails.')}
          onChange={(id) => void chooseLanguage(services, id)}
        />
        <Choice
          name="theme"
          label={t('Theme')}
          value={chosenTheme.value ?? ''}
          choices={[
            { id: '', name: t('As on the device') },
            { id: 'light', name: t('Light') },
            { id: 'dark', name: t('Dark') },
          ]}
          onChange={(id) => void changeSettings(services, { theme: id === '' ? null : (id as Theme) })}
        />
        <Choice
          name="density"
          label={t('Density')}
          note={t('Compact shows more at once. Touch screens keep room for fingers.')}
          value={currentDensity.value}
          choices={[
            { id: 'comfortable', name: t('Comfortable') },
            { id: 'compact', name: t('Compact') },
          ]}
          onChange={(id) => void changeSettings(services, { density: id as Density })}
        />
      </div>
    </section>
  )
}
