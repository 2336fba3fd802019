// The floor as it is now.
import { refresh } from "./app.js";
import { follow } from "./live.js";

follow(document.getElementById("live"), () => refresh("floor"));
