import { chooseLanguage, currentLanguage, languages } from '../../texts/language.ts'
import { t } from '../../texts/text.ts'

/** Kept in this browser, because the server has no texts of its own to translate. */
export const LanguageSection = () => (
  <section aria-labelledby="language-title">
    <h2 id="language-title">{t('Language')}</h2>
    <p class="form-note">{t('For this browser: texts, dates and numbers.')}</p>
    <div class="field">
      <select
        class="input"
        aria-labelledby="language-title"
        value={currentLanguage().id}
        onChange={(event) => chooseLanguage(event.currentTarget.value)}
      >
        {languages.map(({ id, name }) => (
          <option key={id} value={id} lang={id}>
            {name}
          </option>
        ))}
      </select>
    </div>
  </section>
)
