import "../../chart/chart.js";
import "../../ui/times.js";
