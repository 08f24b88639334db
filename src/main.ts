#!/usr/bin/env node
import "./node-version.ts";
import { runCommandLine } from "./command-line.ts";

runCommandLine(process.argv.slice(2));
