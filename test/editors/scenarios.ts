import type { Scenario } from "./scenario.ts";
import { accidents } from "./scenarios/accidents.ts";
import { controls } from "./scenarios/controls.ts";
import { questions } from "./scenarios/questions.ts";
import { typing } from "./scenarios/typing.ts";

export const scenarios: Scenario[] = [...typing, ...questions, ...accidents, ...controls];
