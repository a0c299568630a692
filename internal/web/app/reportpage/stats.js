import "../../chart/chart.js";
import "../../ui/times.js";
import "./live.js";

document.querySelector("#print")?.addEventListener("click", () => print());
