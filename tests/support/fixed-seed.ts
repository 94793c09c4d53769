import { configureGlobal } from 'fast-check'

/** Property tests try the same cases in every run. PROPERTY_SEED=… selects others. */
configureGlobal({ seed: Number(process.env['PROPERTY_SEED'] ?? 1) })
